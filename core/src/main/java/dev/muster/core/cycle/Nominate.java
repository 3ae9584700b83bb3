package dev.muster.core.cycle;

import dev.muster.core.state.IntBag;
import dev.muster.core.state.PoolState;

/** Nominates the oldest job of each active class. */
final class Nominate {

    private final PoolState state;
    private final Candidates candidates;

    Nominate(PoolState state, Candidates candidates) {
        this.state = state;
        this.candidates = candidates;
    }

    void run() {
        candidates.clear();
        IntBag active = state.waiting.active;
        for (int i = 0; i < active.size(); i++) {
            candidates.add(active.at(i));
        }
    }
}
