package dev.muster.core.fit;

import dev.muster.core.state.NodeTable;
import dev.muster.core.state.SupernodeTable;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Supernodes in order of their names. Their ids depend on the order in which the pool came to know
 * them, which a snapshot does not keep, so nothing is decided by them.
 */
final class SupernodeOrder {

    private final NodeTable nodes;
    private int[] order = {};
    private long shapeVersion = -1;

    SupernodeOrder(NodeTable nodes) {
        this.nodes = nodes;
    }

    /** 0 for a node without a supernode. */
    int of(int node) {
        if (shapeVersion != nodes.changes.shapeVersion()) {
            rebuild();
        }
        int supernode = nodes.supernodes.of(node);
        return supernode == SupernodeTable.NONE ? 0 : order[supernode];
    }

    private void rebuild() {
        Integer[] byName = new Integer[nodes.supernodes.size()];
        Arrays.setAll(byName, i -> i);
        Arrays.sort(byName, Comparator.comparing(id -> nodes.supernodes.names.name(id)));
        order = new int[byName.length];
        for (int i = 0; i < byName.length; i++) {
            order[byName[i]] = i + 1;
        }
        shapeVersion = nodes.changes.shapeVersion();
    }
}
