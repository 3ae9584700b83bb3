package dev.muster.core.fit;

import dev.muster.core.state.NodeTable;
import dev.muster.core.state.Signature;
import dev.muster.core.state.SupernodeTable;
import dev.muster.domain.Placement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Places a whole gang or nothing. One supernode is preferred: the one with the least room that
 * holds the gang; otherwise the pool's nodes by rank. Ties go to the node declared first. Instances
 * are numbered along supernodes and nodes, so that neighbours in rank are neighbours in place.
 */
public final class GangPacker {

    private final NodeTable nodes;
    private final FitIndex fits;
    private final Devices devices;

    /** Chosen nodes as (supernode's rank by name, node) in one long, so that they can be sorted. */
    private long[] chosen = new long[16];

    private int[] shares = new int[16];
    private int chosenCount;

    public GangPacker(NodeTable nodes, FitIndex fits) {
        this.nodes = nodes;
        this.fits = fits;
        this.devices = new Devices(nodes);
    }

    /** Where the instances go, empty if the gang does not fit now. */
    public List<Placement> place(Signature signature, int instances) {
        SignatureIndex index = fits.of(signature);
        if (index.total() < instances) {
            return List.of();
        }
        chosenCount = 0;
        int supernode = instances == 1 ? SupernodeTable.NONE : tightest(index, instances);
        if (supernode == SupernodeTable.NONE) {
            chooseInPool(index, instances);
        } else {
            chooseInSupernode(index, supernode, instances);
        }
        return placements(index, instances);
    }

    /** The supernode with the least room that holds all, the first by name among equals. */
    private int tightest(SignatureIndex index, int instances) {
        int best = SupernodeTable.NONE;
        for (int s = 0; s < nodes.supernodes.size(); s++) {
            long room = index.onSupernode(s);
            if (room >= instances && (best == SupernodeTable.NONE || tighter(index, s, best))) {
                best = s;
            }
        }
        return best;
    }

    private boolean tighter(SignatureIndex index, int a, int b) {
        long left = index.onSupernode(a);
        long right = index.onSupernode(b);
        return left != right ? left < right : name(a).compareTo(name(b)) < 0;
    }

    private String name(int supernode) {
        return nodes.supernodes.names.name(supernode);
    }

    private void chooseInPool(SignatureIndex index, int instances) {
        int left = instances;
        for (int rank = index.nextRank(0); left > 0; rank = index.nextRank(rank + 1)) {
            int node = index.nextNode(rank, 0);
            while (node >= 0 && left > 0) {
                left -= choose(node, Math.min(left, index.on(node)));
                node = index.nextNode(rank, node + 1);
            }
        }
    }

    private void chooseInSupernode(SignatureIndex index, int supernode, int instances) {
        long[] byRank = new long[16];
        int count = 0;
        for (int n = nodes.supernodes.head(supernode); n >= 0; n = nodes.supernodes.next(n)) {
            if (index.on(n) > 0) {
                if (count == byRank.length) {
                    byRank = Arrays.copyOf(byRank, count * 2);
                }
                byRank[count++] = ((long) index.rank(n) << 32) | n;
            }
        }
        Arrays.sort(byRank, 0, count);
        int left = instances;
        for (int i = 0; left > 0; i++) {
            int node = (int) byRank[i];
            left -= choose(node, Math.min(left, index.on(node)));
        }
    }

    private int choose(int node, int share) {
        if (chosenCount == chosen.length) {
            chosen = Arrays.copyOf(chosen, chosenCount * 2);
        }
        chosen[chosenCount++] = ((long) fits.supernodeOrder(node) << 32) | node;
        if (shares.length <= node) {
            shares = Arrays.copyOf(shares, nodes.size());
        }
        shares[node] = share;
        return share;
    }

    private List<Placement> placements(SignatureIndex index, int instances) {
        Arrays.sort(chosen, 0, chosenCount);
        List<Placement> placements = new ArrayList<>(instances);
        for (int i = 0; i < chosenCount; i++) {
            int node = (int) chosen[i];
            devices.begin(node);
            for (int k = 0; k < shares[node]; k++) {
                placements.add(
                        new Placement(
                                placements.size(),
                                nodes.ids.get(node),
                                devices.next(index.signature())));
            }
        }
        return placements;
    }
}
