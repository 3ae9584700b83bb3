package dev.muster.core.cycle;

import dev.muster.core.fit.FitIndex;
import dev.muster.core.state.PoolState;
import dev.muster.core.state.Signature;
import dev.muster.core.state.WaitClasses;

/**
 * Settles which wait classes take part. All queues count the same so far; shares will order them
 * here. Wakes a parked class when the pool's shape has changed, or when nodes gained room and now
 * its gang fits (S29: a class whose inputs did not change is not tried again).
 */
final class OrderQueues {

    private final PoolState state;
    private final FitIndex fits;

    OrderQueues(PoolState state, FitIndex fits) {
        this.state = state;
        this.fits = fits;
    }

    void run() {
        WaitClasses waiting = state.waiting;
        boolean reshaped = state.shapeChanged();
        if (!reshaped && state.nodes.grown.size() == 0) {
            return;
        }
        for (int i = waiting.parked.size() - 1; i >= 0; i--) {
            int waitClass = waiting.parked.at(i);
            if (reshaped || mayFit(waitClass)) {
                waiting.wake(waitClass);
            }
        }
        state.shapesSeen();
        state.growthSeen();
    }

    private boolean mayFit(int waitClass) {
        Signature signature = state.waiting.signature(waitClass);
        return fits.anyFits(state.nodes.grown, signature)
                && fits.total(signature) >= state.waiting.instances(waitClass);
    }
}
