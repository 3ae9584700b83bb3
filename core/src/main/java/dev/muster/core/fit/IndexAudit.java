package dev.muster.core.fit;

import dev.muster.core.state.NodeTable;
import dev.muster.domain.InvariantBroken;

/** Compares an index with the nodes that it follows. */
final class IndexAudit {

    private IndexAudit() {}

    static void check(NodeTable nodes, SignatureIndex index) {
        long total = 0;
        for (int node = 0; node < nodes.size(); node++) {
            int count = Fits.now(nodes, node, index.signature());
            total += count;
            boolean same = count == index.on(node);
            if (count > 0) {
                int rank = Fits.rank(nodes, node, index.signature(), count);
                same &= rank == index.rank(node) && index.nextNode(rank, node) == node;
                same &= index.nextRank(rank) == rank;
            }
            if (!same) {
                throw new InvariantBroken(
                        "the fit index of "
                                + index.signature()
                                + " is stale for node "
                                + nodes.ids.get(node));
            }
        }
        if (total != index.total()) {
            throw new InvariantBroken(
                    "the fit index of "
                            + index.signature()
                            + " counts "
                            + index.total()
                            + " places, the nodes have "
                            + total);
        }
    }
}
