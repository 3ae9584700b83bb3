/**
 * What follows from an instance that ends or breaks, or from a gang that hangs: nothing, a restart
 * by some tier, or the job's end.
 */
@NullMarked
package dev.muster.core.recovery;

import org.jspecify.annotations.NullMarked;
