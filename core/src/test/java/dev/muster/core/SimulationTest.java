package dev.muster.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.Event;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** More seeds by {@code -Dmuster.simulation.seeds=N}, one of them by {@code …first=N}. */
class SimulationTest {

    private static final int SEEDS = Integer.getInteger("muster.simulation.seeds", 200);
    private static final int FIRST = Integer.getInteger("muster.simulation.first", 0);
    private static final int BATCHES = 100;
    private static final int ENOUGH_FOR_ALL = 100;

    @Test
    void holdsItsInvariantsWhateverHappensInWhateverOrder() {
        Run run = new Run();
        for (int seed = FIRST; seed < FIRST + SEEDS; seed++) {
            run.take(seed, new Simulation(seed), BATCHES);
        }
        System.out.println("simulation: " + SEEDS + " seeds, " + run);
        if (SEEDS >= ENOUGH_FOR_ALL) {
            assertThat(run.types).as("every kind of event comes about").containsAll(allTypes());
        }
        assertThat(run.events).isGreaterThan(SEEDS * 100L);
    }

    @Test
    void keepsItsBooksOfRestartsWhateverRacesWhat() {
        Run run = new Run();
        for (int seed = FIRST; seed < FIRST + SEEDS; seed++) {
            run.take(seed, Simulation.storm(seed), BATCHES);
        }
        System.out.println("storm: " + SEEDS + " seeds, " + run);
        assertThat(run.restarts).isGreaterThan(SEEDS * 10L);
    }

    private static final class Run {
        private long events;
        private long restarts;
        private final SortedSet<String> types = new TreeSet<>();

        void take(int seed, Simulation simulation, int batches) {
            try {
                simulation.run(batches);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
            events += simulation.events();
            restarts += simulation.restarts();
            types.addAll(simulation.types());
        }

        @Override
        public String toString() {
            return events + " events, " + restarts + " restarts";
        }
    }

    private static List<String> allTypes() {
        return concrete(Event.class).map(Class::getSimpleName).toList();
    }

    private static Stream<Class<?>> concrete(Class<?> type) {
        return type.isInterface()
                ? Stream.of(type.getPermittedSubclasses()).flatMap(SimulationTest::concrete)
                : Stream.of(type);
    }
}
