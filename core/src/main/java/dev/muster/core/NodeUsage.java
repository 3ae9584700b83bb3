package dev.muster.core;

import dev.muster.core.state.PoolState;
import dev.muster.core.state.Snapshots;
import dev.muster.domain.NodeSnapshot;

import java.util.ArrayList;
import java.util.List;

/**
 * A node with what the live grants use of it.
 *
 * @param cpuMillisUsed thousandths of a core
 * @param memoryMebibytesUsed MiB
 * @param deviceThousandthsUsed of each device, in order of index
 * @param instances living on the node
 */
public record NodeUsage(
        NodeSnapshot node,
        int cpuMillisUsed,
        int memoryMebibytesUsed,
        List<Integer> deviceThousandthsUsed,
        int instances) {

    public NodeUsage {
        deviceThousandthsUsed = List.copyOf(deviceThousandthsUsed);
    }

    static NodeUsage of(PoolState state, int node) {
        int devices = state.nodes.shapes.get(node).devices();
        List<Integer> used = new ArrayList<>(devices);
        for (int device = 0; device < devices; device++) {
            used.add(state.nodes.deviceUsed(node, device));
        }
        return new NodeUsage(
                Snapshots.node(state, node),
                state.nodes.cpuUsed.get(node),
                state.nodes.memoryUsed.get(node),
                used,
                state.nodes.instances.get(node));
    }
}
