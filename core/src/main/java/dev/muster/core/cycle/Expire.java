package dev.muster.core.cycle;

import dev.muster.core.state.Emission;
import dev.muster.core.state.PoolState;
import dev.muster.domain.Ask;
import dev.muster.domain.Event;

/** Ends what has run for its time: auto-stop counts running time alone (S0, S1). */
final class Expire {

    private static final String BY = "auto-stop";

    private final PoolState state;

    Expire(PoolState state) {
        this.state = state;
    }

    void run(Emission out) {
        while (state.autoStops.firstMillis() <= out.now()) {
            int job = state.autoStops.first();
            Ask ask = state.jobs.asks.get(job);
            out.emit(
                    new Event.JobStopping(
                            ask.job(),
                            ask.project(),
                            state.jobs.attempts.get(job),
                            "",
                            BY,
                            "ran for its limit of " + ask.autoStopSeconds() + " seconds"));
        }
    }
}
