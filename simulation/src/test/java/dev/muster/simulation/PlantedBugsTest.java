package dev.muster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation is worth what it finds. */
class PlantedBugsTest {

    /** As many as the build runs without a bug. */
    private static final int SEEDS = 200;

    @ParameterizedTest
    @EnumSource(value = Plants.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void findsAPlantedBug(Plants plant) {
        assertThat(firstFailure(plant).violation()).isNotNull();
    }

    @Test
    void leavesOutFaultsThatDoNotMatter() {
        Plants plant = Plants.USAGE_DOUBLED_ON_RESTART;
        Run.Result failed = firstFailure(plant);
        Run.Result smallest = Minimiser.minimise(failed, plant);
        assertThat(smallest.invariant()).isEqualTo(failed.invariant());
        assertThat(smallest.plan().faults())
                .hasSizeLessThan(failed.plan().faults().size())
                .isSubsetOf(failed.plan().faults());
    }

    private static Run.Result firstFailure(Plants plant) {
        for (int seed = 1; seed <= SEEDS; seed++) {
            Run.Result result = Run.of(seed, plant.make());
            if (result.violation() != null) {
                return result;
            }
        }
        throw new AssertionError(plant.label() + " is found by none of " + SEEDS + " seeds");
    }
}
