package dev.muster.core.cycle;

import dev.muster.core.recovery.Endings;
import dev.muster.core.recovery.Recovery;
import dev.muster.core.state.Emission;
import dev.muster.core.state.PoolState;

/**
 * Judges exits whose time for a verdict is over, and ends what has run for its time: auto-stop
 * counts running time alone (S0, S1).
 */
public final class Expire {

    private static final String BY = "auto-stop";

    private final PoolState state;
    private final Recovery recovery;
    private final Endings endings;

    public Expire(PoolState state, Recovery recovery, Endings endings) {
        this.state = state;
        this.recovery = recovery;
        this.endings = endings;
    }

    void run(Emission out) {
        recovery.expire(out);
        while (state.autoStops.firstMillis() <= out.now()) {
            int job = state.autoStops.first();
            long limit = state.jobs.asks.get(job).autoStopSeconds();
            endings.stop(job, "", BY, "ran for its limit of " + limit + " seconds", out);
        }
    }
}
