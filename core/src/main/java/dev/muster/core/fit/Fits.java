package dev.muster.core.fit;

import dev.muster.core.state.NodeTable;
import dev.muster.core.state.Signature;
import dev.muster.core.state.SupernodeTable;
import dev.muster.domain.NodeShape;

/** How many instances of a signature a node holds, and how gladly it should take one. */
final class Fits {

    /** Bound of a count: an instance that asks for nothing fits without end. */
    static final int MANY = 1 << 20;

    static final int WHOLE = 1000;

    /** Ranks are 0 to 63; nodes of the least rank are filled first. */
    static final int RANKS = 64;

    private static final int IDLE_SUPERNODE = RANKS - 1;
    private static final int HALF = RANKS / 2;

    private Fits() {}

    /** Instances that fit on the node now; 0 while it is closed. */
    static int now(NodeTable nodes, int node, Signature signature) {
        NodeShape shape = nodes.shapes.get(node);
        if (!nodes.open(node) || !modelMatches(shape, signature)) {
            return 0;
        }
        int count = MANY;
        if (signature.cpuMillis() > 0) {
            count = (shape.cpuMillis() - nodes.cpuUsed.get(node)) / signature.cpuMillis();
        }
        if (signature.memoryMebibytes() > 0) {
            int free = shape.memoryMebibytes() - nodes.memoryUsed.get(node);
            count = Math.min(count, free / signature.memoryMebibytes());
        }
        if (count > 0 && signature.asksDevices()) {
            count = Math.min(count, byDevices(nodes, node, signature));
        }
        return Math.max(0, count);
    }

    private static int byDevices(NodeTable nodes, int node, Signature signature) {
        if (!signature.fractional()) {
            return nodes.wholeFree.get(node) / signature.devices();
        }
        int each = WHOLE / signature.thousandths();
        int count = nodes.wholeFree.get(node) * each;
        return nodes.thousandthsUsed.get(node) == 0
                ? count
                : count + inShared(nodes, node, signature.thousandths());
    }

    /** Shares that fit on devices of which something is used already. */
    private static int inShared(NodeTable nodes, int node, int thousandths) {
        int count = 0;
        for (int device = 0; device < nodes.shapes.get(node).devices(); device++) {
            int used = nodes.deviceUsed(node, device);
            count += used == 0 ? 0 : (WHOLE - used) / thousandths;
        }
        return count;
    }

    /** Instances that fit on an empty node of this shape. */
    static int onEmpty(NodeShape shape, Signature signature) {
        if (!modelMatches(shape, signature)) {
            return 0;
        }
        int count = MANY;
        if (signature.cpuMillis() > 0) {
            count = Math.min(count, shape.cpuMillis() / signature.cpuMillis());
        }
        if (signature.memoryMebibytes() > 0) {
            count = Math.min(count, shape.memoryMebibytes() / signature.memoryMebibytes());
        }
        if (signature.fractional()) {
            count = Math.min(count, shape.devices() * (WHOLE / signature.thousandths()));
        } else if (signature.asksDevices()) {
            count = Math.min(count, shape.devices() / signature.devices());
        }
        return count;
    }

    static boolean modelMatches(NodeShape shape, Signature signature) {
        return signature.model().isEmpty() || signature.model().equals(shape.accelerator());
    }

    /**
     * Best fit: the fullest node first, a started device before a whole one, nodes without devices
     * first for those who ask for none, a node of an idle supernode last.
     *
     * @param count of instances that fit, at least 1
     */
    static int rank(NodeTable nodes, int node, Signature signature, int count) {
        int supernode = nodes.supernodes.of(node);
        if (supernode != SupernodeTable.NONE && nodes.supernodes.idle(supernode)) {
            return IDLE_SUPERNODE;
        }
        int free = nodes.wholeFree.get(node);
        if (!signature.asksDevices()) {
            int low = Math.min(count, HALF - 1);
            return nodes.shapes.get(node).devices() == 0
                    ? low
                    : Math.min(HALF + low, IDLE_SUPERNODE - 1);
        }
        if (!signature.fractional()) {
            return Math.min(free, IDLE_SUPERNODE - 1);
        }
        boolean started = inShared(nodes, node, signature.thousandths()) > 0;
        return started ? Math.min(free, HALF - 1) : Math.min(HALF + free, IDLE_SUPERNODE - 1);
    }
}
