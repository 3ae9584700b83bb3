/** What follows from an instance that ends or breaks. Pure functions of what was observed. */
@NullMarked
package dev.muster.core.recovery;

import org.jspecify.annotations.NullMarked;
