/** Rules on the code of all modules, as tests. */
@NullMarked
package dev.muster.architecture;

import org.jspecify.annotations.NullMarked;
