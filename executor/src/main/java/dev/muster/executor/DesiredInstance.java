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

    /** In a new container, unless it is in that one or a later one already. */
    DesiredInstance reincarnated(int incarnation) {
        return incarnation <= instance.incarnation()
                ? this
                : new DesiredInstance(
                        new InstanceRef(
                                instance.job(), instance.attempt(), instance.index(), incarnation),
                        node,
                        false,
                        false);
    }

    DesiredInstance withGone() {
        return new DesiredInstance(instance, node, prepared, true);
    }
}
