package dev.muster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation is worth what it finds. */
class PlantedBugsTest {

    /** As many as the build runs without a bug. */
    private static final int SEEDS = 300;

    @ParameterizedTest
    @EnumSource(value = Plants.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void findsAPlantedBug(Plants plant) {
        for (int seed = 1; seed <= SEEDS; seed++) {
            Run.Result result = Run.of(seed, plant.make());
            if (result.violation() != null) {
                long t = System.nanoTime();
                Run.Result small = Minimiser.minimise(result, plant);
                System.out.println(plant.label() + " seed " + seed + " " + result.violation() + " plan " + result.plan().faults().size() + " -> " + small.plan().faults() + " min " + (System.nanoTime()-t)/1000000);
                assertThat(small.invariant()).isEqualTo(result.invariant());
                return;
            }
        }
        assertThat(plant).as("the bug that no seed found").isNull();
    }
}
