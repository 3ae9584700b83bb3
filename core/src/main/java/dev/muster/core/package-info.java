/**
 * The scheduler's decisions: a pure function of state and input, without I/O, clock or randomness.
 */
@NullMarked
package dev.muster.core;

import org.jspecify.annotations.NullMarked;
