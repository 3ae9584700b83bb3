/** Runs beside an instance: supervises it, moves its data, reports its signals. No Vert.x. */
@NullMarked
package dev.muster.agent;

import org.jspecify.annotations.NullMarked;
