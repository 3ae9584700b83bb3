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

    @Test
    void holdsItsInvariantsWhateverHappensInWhateverOrder() {
        long events = 0;
        long restarts = 0;
        SortedSet<String> types = new TreeSet<>();
        for (int seed = FIRST; seed < FIRST + SEEDS; seed++) {
            Simulation simulation = new Simulation(seed);
            try {
                simulation.run(BATCHES);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
            events += simulation.events();
            restarts += simulation.restarts();
            types.addAll(simulation.types());
        }
        System.out.println(
                "simulation: "
                        + SEEDS
                        + " seeds, "
                        + events
                        + " events, "
                        + restarts
                        + " restarts");
        assertThat(types).as("every kind of event comes about").containsAll(allTypes());
        assertThat(events).isGreaterThan(SEEDS * 100L);
        assertThat(restarts).isGreaterThan(SEEDS * 2L);
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
