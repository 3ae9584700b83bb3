package dev.muster.core.fit;

import dev.muster.core.state.IntBag;
import dev.muster.core.state.NodeTable;
import dev.muster.core.state.Signature;

import java.util.ArrayList;
import java.util.List;

/**
 * The signature indexes in use: at most a fixed number, the least recently used one makes room. A
 * cache: which ones are there never changes a decision.
 */
public final class FitIndex {

    private static final int FEW = 32;

    private final NodeTable nodes;
    private final int bound;
    private final List<SignatureIndex> live = new ArrayList<>();
    private final SupernodeOrder supernodes;
    private long uses;

    public FitIndex(NodeTable nodes, int bound) {
        this.nodes = nodes;
        this.bound = bound;
        this.supernodes = new SupernodeOrder(nodes);
    }

    /** The signature's index as of now. */
    SignatureIndex of(Signature signature) {
        SignatureIndex index = find(signature);
        index.lastUsed = ++uses;
        index.follow();
        return index;
    }

    /** Instances that fit into the pool now. */
    public long total(Signature signature) {
        return of(signature).total();
    }

    /** Whether an instance fits on one of these nodes; many of them count as yes. */
    public boolean anyFits(IntBag some, Signature signature) {
        boolean any = some.size() > FEW;
        for (int i = 0; i < some.size() && !any; i++) {
            any = Fits.now(nodes, some.at(i), signature) > 0;
        }
        return any;
    }

    /** The place of the node's supernode among all by name, 0 without one. */
    int supernodeOrder(int node) {
        return supernodes.of(node);
    }

    private SignatureIndex find(Signature signature) {
        int oldest = 0;
        for (int i = 0; i < live.size(); i++) {
            if (live.get(i).signature().equals(signature)) {
                return live.get(i);
            }
            if (live.get(i).lastUsed < live.get(oldest).lastUsed) {
                oldest = i;
            }
        }
        SignatureIndex fresh = new SignatureIndex(nodes, signature);
        if (live.size() < bound) {
            live.add(fresh);
        } else {
            live.set(oldest, fresh);
        }
        return fresh;
    }

    /**
     * @throws dev.muster.domain.InvariantBroken if an index differs from what the nodes give
     */
    public void audit() {
        for (SignatureIndex index : live) {
            index.follow();
            IndexAudit.check(nodes, index);
        }
    }
}
