package dev.muster.executor;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.NodeId;

/**
 * One instance of a live grant, as the pool's facts have it.
 *
 * @param prepared that it was prepared is a fact
 * @param gone that nothing of it is left is a fact
 */
record DesiredInstance(InstanceRef instance, NodeId node, boolean prepared, boolean gone) {

    DesiredInstance withPrepared() {
        return new DesiredInstance(instance, node, true, gone);
    }

    DesiredInstance withGone() {
        return new DesiredInstance(instance, node, prepared, true);
    }
}
