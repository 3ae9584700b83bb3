/** Health, metrics and logging. */
@NullMarked
package dev.muster.platform.observe;

import org.jspecify.annotations.NullMarked;
