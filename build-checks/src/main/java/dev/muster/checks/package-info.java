/** Compiler checks of our own, run by error-prone on every module. */
@NullMarked
package dev.muster.checks;

import org.jspecify.annotations.NullMarked;
