/** The whole system in virtual time: one seed is one run, faults included. */
@NullMarked
package dev.muster.simulation;

import org.jspecify.annotations.NullMarked;
