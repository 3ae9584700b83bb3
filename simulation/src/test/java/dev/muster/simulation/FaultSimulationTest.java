package dev.muster.simulation;

import org.junit.jupiter.api.Test;

class FaultSimulationTest {

    @Test
    void holdsWhatIsPromisedForHundredsOfSeeds() {
        long from = Long.getLong("from", 1);
        long to = Long.getLong("to", 20);
        for (long seed = from; seed <= to; seed++) {
            long t = System.nanoTime();
            Run.Result r =
                    Run.of(
                            seed,
                            FaultPlan.of(seed, Run.BUSY_MILLIS),
                            new Plant(),
                            Boolean.getBoolean("trace") ? System.out::println : null);
            System.out.println(
                    seed + " " + (System.nanoTime() - t) / 1000000 + "ms steps " + r.steps() + " events "
                            + r.events() + " jobs " + r.jobs() + " sim " + r.millis() + " " + r.violation());
        }
    }
}
