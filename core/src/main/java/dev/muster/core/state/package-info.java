/**
 * A pool's state in dense ids and primitive columns under one undo log. Only this package writes
 * columns: {@link dev.muster.core.state.PoolState#apply} is the sole way to change what is true;
 * what else can be changed from outside is memory about it (which wait classes are known not to
 * fit), which never changes a decision.
 */
@NullMarked
package dev.muster.core.state;

import org.jspecify.annotations.NullMarked;
