package dev.muster.core.fit;

import dev.muster.core.state.ChangeLog;
import dev.muster.core.state.NodeTable;
import dev.muster.core.state.Signature;
import dev.muster.core.state.SupernodeTable;

import org.jspecify.annotations.Nullable;

/**
 * For one signature: how many instances fit on each node, the nodes of each rank as a bit tree, and
 * sums per pool and per supernode. It follows the log of changed nodes when it is used, so that a
 * grant or release costs only indexes in use, for its nodes only.
 */
final class SignatureIndex {

    private static final long NEVER = -1;

    private final NodeTable nodes;
    private final Signature signature;

    private int[] counts = {};
    private byte[] ranks = {};
    private final @Nullable BitTree[] byRank = new BitTree[Fits.RANKS];
    private long ranksTaken;
    private long total;
    private long[] perSupernode = {};

    private long version = NEVER;
    private long shapeVersion = NEVER;
    long lastUsed;

    SignatureIndex(NodeTable nodes, Signature signature) {
        this.nodes = nodes;
        this.signature = signature;
    }

    Signature signature() {
        return signature;
    }

    /** Instances that fit into the pool now. */
    long total() {
        return total;
    }

    long onSupernode(int supernode) {
        return perSupernode[supernode];
    }

    int on(int node) {
        return counts[node];
    }

    int rank(int node) {
        return ranks[node];
    }

    /** The least rank from {@code from} on that a node with room has, −1 if there is none. */
    int nextRank(int from) {
        long rest = from >= Fits.RANKS ? 0 : ranksTaken & (-1L << from);
        return rest == 0 ? -1 : Long.numberOfTrailingZeros(rest);
    }

    /** The next node of the rank with room, −1 if there is none. */
    int nextNode(int rank, int from) {
        BitTree tree = byRank[rank];
        return tree == null ? -1 : tree.next(from);
    }

    void follow() {
        ChangeLog changes = nodes.changes;
        if (shapeVersion != changes.shapeVersion() || !changes.reachesBackTo(version)) {
            rebuild();
        } else {
            for (long v = version; v < changes.version(); v++) {
                refresh(changes.node(v));
            }
        }
        version = changes.version();
    }

    private void rebuild() {
        int size = nodes.size();
        counts = new int[size];
        ranks = new byte[size];
        java.util.Arrays.fill(byRank, null);
        ranksTaken = 0;
        total = 0;
        perSupernode = new long[nodes.supernodes.size()];
        for (int node = 0; node < size; node++) {
            refresh(node);
        }
        shapeVersion = nodes.changes.shapeVersion();
    }

    private void refresh(int node) {
        int count = Fits.now(nodes, node, signature);
        int before = counts[node];
        int rank = count == 0 ? 0 : Fits.rank(nodes, node, signature, count);
        if (before > 0 && (count == 0 || rank != ranks[node])) {
            leave(node, ranks[node]);
        }
        if (count > 0 && (before == 0 || rank != ranks[node])) {
            join(node, rank);
        }
        ranks[node] = (byte) rank;
        if (count != before) {
            counts[node] = count;
            total += count - before;
            int supernode = nodes.supernodes.of(node);
            if (supernode != SupernodeTable.NONE) {
                perSupernode[supernode] += count - before;
            }
        }
    }

    private void join(int node, int rank) {
        BitTree tree = byRank[rank];
        if (tree == null) {
            tree = new BitTree(counts.length);
            byRank[rank] = tree;
        }
        tree.add(node);
        ranksTaken |= 1L << rank;
    }

    private void leave(int node, int rank) {
        BitTree tree = byRank[rank];
        if (tree != null) {
            tree.remove(node);
            if (tree.isEmpty()) {
                ranksTaken &= ~(1L << rank);
            }
        }
    }
}
