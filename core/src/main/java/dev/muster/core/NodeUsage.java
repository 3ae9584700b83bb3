package dev.muster.core;

import dev.muster.domain.NodeSnapshot;
import dev.muster.domain.Resources;
import java.util.List;

/**
 * A node with what the live grants use of it.
 *
 * @param deviceThousandths used of each device, in order of index
 * @param instances living on the node
 */
public record NodeUsage(
        NodeSnapshot node, Resources used, List<Integer> deviceThousandths, int instances) {

    public NodeUsage {
        deviceThousandths = List.copyOf(deviceThousandths);
    }
}
