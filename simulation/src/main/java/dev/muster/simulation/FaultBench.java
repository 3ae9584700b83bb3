package dev.muster.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Runs many seeds on all processors and tells of each that fails how to have it again. */
public final class FaultBench {

    private static final int TOLD = 10;

    /**
     * What came of all seeds.
     *
     * @param events that leaders decided
     * @param faults that happened
     */
    public record Summary(
            long seeds,
            long steps,
            long events,
            long jobs,
            long faults,
            long violations,
            long simulatedMillis) {

        public double simulatedHours() {
            return simulatedMillis / 3_600_000.0;
        }
    }

    private final Plants plant;
    private final Consumer<String> out;
    private final AtomicLong done = new AtomicLong();
    private long steps;
    private long events;
    private long jobs;
    private long faults;
    private long violations;
    private long simulatedMillis;

    /**
     * @param plant name of a planted bug, {@code none} for none
     * @param out takes progress and what fails
     * @throws IllegalArgumentException naming the plants there are
     */
    public FaultBench(String plant, Consumer<String> out) {
        this.plant = plant(plant);
        this.out = out;
    }

    private static Plants plant(String name) {
        List<String> labels = new ArrayList<>();
        for (Plants each : Plants.values()) {
            if (each.label().equals(name.toLowerCase(Locale.ROOT))) {
                return each;
            }
            labels.add(each.label());
        }
        throw new IllegalArgumentException(
                "no bug " + name + " can be planted; there are: " + String.join(", ", labels));
    }

    /**
     * @param from first seed
     * @param threads at the same time; a run itself is of one
     */
    public Summary run(long from, long seeds, int threads) throws InterruptedException {
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> all = new ArrayList<>();
            AtomicLong next = new AtomicLong(from);
            for (int i = 0; i < threads; i++) {
                all.add(
                        pool.submit(() -> {
                            long seed;
                            while ((seed = next.getAndIncrement()) < from + seeds) {
                                add(Run.of(seed, plant.make()), seeds);
                            }
                        }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a run did not end in order", e.getCause());
        }
        return new Summary(seeds, steps, events, jobs, faults, violations, simulatedMillis);
    }

    private void add(Run.Result result, long seeds) {
        String failure = result.violation() == null ? "" : explain(result);
        synchronized (this) {
            steps += result.steps();
            events += result.events();
            jobs += result.jobs();
            faults += result.faults();
            simulatedMillis += result.millis();
            violations += result.violation() == null ? 0 : 1;
            long count = done.incrementAndGet();
            if (!failure.isEmpty() && violations <= TOLD) {
                out.accept(failure);
            }
            if (count % Math.max(1, seeds / 20) == 0) {
                out.accept("%d of %d seeds, %d violations".formatted(count, seeds, violations));
            }
        }
    }

    private String explain(Run.Result result) {
        StringBuilder text = new StringBuilder(1000);
        text.append("seed ").append(result.seed()).append(": ").append(result.violation());
        Run.Result smallest = Minimiser.minimise(result, plant);
        text.append("\n  of %d faults these are enough:".formatted(result.plan().faults().size()));
        smallest.plan().faults().forEach(each -> text.append("\n    ").append(each));
        text.append("\n  again: ./muster bench faults --seeds 1 --from ").append(result.seed());
        if (plant != Plants.NONE) {
            text.append(" --plant ").append(plant.label());
        }
        return text.toString();
    }
}
