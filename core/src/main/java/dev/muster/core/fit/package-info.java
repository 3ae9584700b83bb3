/** Where a gang fits: indexes per signature that follow the nodes, and the choice of places. */
@NullMarked
package dev.muster.core.fit;

import org.jspecify.annotations.NullMarked;
