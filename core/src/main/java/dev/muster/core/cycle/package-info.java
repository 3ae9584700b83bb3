/** One scheduling cycle as named phases over the state, one small class each. */
@NullMarked
package dev.muster.core.cycle;

import org.jspecify.annotations.NullMarked;
