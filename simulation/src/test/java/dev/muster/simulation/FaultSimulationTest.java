package dev.muster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class FaultSimulationTest {

    private static final int THREADS = 2;

    @Test
    void keepsEveryPromiseForHundredsOfSeeds() throws InterruptedException {
        List<String> told = new ArrayList<>();
        FaultBench.Summary all =
                new FaultBench("none", told::add)
                        .run(
                                Long.getLong("simulation.from", 1),
                                Long.getLong("simulation.seeds", 200),
                                THREADS);
        assertThat(all.violations()).as(String.join("\n", told)).isZero();
        assertThat(all.events()).isGreaterThan(300 * all.seeds());
        assertThat(all.faults()).as("faults on occasions").isGreaterThan(5 * all.seeds());
    }

    @Test
    void givesTheSameRunForTheSameSeed() {
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        FaultPlan plan = FaultPlan.of(7, Run.BUSY_MILLIS);
        Run.of(7, plan, new Plant(), first::add);
        Run.of(7, plan, new Plant(), second::add);
        assertThat(second).isEqualTo(first).hasSizeGreaterThan(100);
    }
}
