/** One holder at a time for what only one service of a pool may do, and the thread that does it. */
@NullMarked
package dev.muster.platform.lease;

import org.jspecify.annotations.NullMarked;
