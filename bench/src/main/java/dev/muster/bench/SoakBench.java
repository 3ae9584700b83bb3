package dev.muster.bench;

import io.vertx.core.json.JsonObject;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * All of Muster at half of the rate that it can take, for as long as is asked for, and whether what
 * it uses of the machine stays as it is.
 */
@Command(
        name = "soak",
        description =
                "Half load for a long time: files, threads, heap after full GC, tables, disk; exit"
                        + " status 1 when one of them is not flat.",
        mixinStandardHelpOptions = true)
final class SoakBench implements Callable<Integer> {

    private static final int SAMPLES = 40;
    private static final long LOOK_MILLIS = 500;
    private static final long PATIENCE_SECONDS = 300;

    /** Seconds of load in hand beyond which no more is offered: others use the machine too. */
    private static final long MOST_BEHIND_SECONDS = 10;

    /**
     * Ended jobs are archived at once, snapshots come often, so that a short run sees all that
     * happens in a long one. Jobs run for a moment.
     */
    private static final String[] SETTINGS = {
        "executor.backend=simulated",
        "executor.simulated.nodes=500",
        "executor.simulated.runMillis=200",
        "gateway.archive.keep=1000",
        "gateway.archive.everyMillis=1000",
        "scheduler.snapshot.seconds=5"
    };

    /** All of the heap from the beginning, so that what grows besides can be seen. */
    private static final List<String> JVM = List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch");

    /** Few, since each is a file of the process that is watched, and a stall opens all of them. */
    private static final int CONNECTIONS = 16;

    @Option(names = "--minutes", defaultValue = "60", description = "how long")
    private int minutes;

    @Option(
            names = "--rate",
            defaultValue = "0",
            description = "jobs a second; 0: half of the peak, which is then measured")
    private int rate;

    private final Map<SoakMeasure, List<Double>> samples = new EnumMap<>(SoakMeasure.class);
    private final List<Double> jobs = new ArrayList<>();
    private long pausedMillis;

    @Override
    public Integer call() throws InterruptedException {
        try (MusterUnderTest muster = MusterUnderTest.start(JVM, SETTINGS)) {
            int offered =
                    rate > 0
                            ? rate
                            : (int)
                                    Math.max(
                                            1, PeakRate.measure(muster.port(), muster.token()) / 2);
            try (OpenLoad load =
                    new OpenLoad(List.of(muster.port()), muster.token(), offered, CONNECTIONS)) {
                Progress.say("%d jobs/s for %d min".formatted(offered, minutes));
                load.begin();
                watch(muster, load, offered);
                OpenLoad.Seen seen = load.end(PATIENCE_SECONDS);
                JsonObject line = line(muster, seen, offered);
                System.out.println(line.encode());
                return line.getBoolean("flat") && seen.failedWithout() == 0 ? 0 : 1;
            }
        }
    }

    private void watch(MusterUnderTest muster, OpenLoad load, int offered)
            throws InterruptedException {
        SoakProbe probe = new SoakProbe(muster);
        long begun = System.nanoTime();
        long every = TimeUnit.MINUTES.toNanos(minutes) / SAMPLES;
        for (int n = 1; n <= SAMPLES; n++) {
            while (System.nanoTime() < begun + n * every) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
                keepUp(muster, load, offered);
            }
            Map<SoakMeasure, Double> seen = probe.look();
            seen.forEach((measure, value) ->
                    samples.computeIfAbsent(measure, _ -> new ArrayList<>()).add(value));
            jobs.add((double) load.acknowledged());
            if (n % (SAMPLES / 10) == 0) {
                Progress.say("%d of %d: %s".formatted(n, SAMPLES, told(seen)));
            }
        }
    }

    /** Where the machine has become slower than it was, load waits until it was worked off. */
    private void keepUp(MusterUnderTest muster, OpenLoad load, int offered)
            throws InterruptedException {
        long most = offered * MOST_BEHIND_SECONDS;
        if (inHand(muster, load) <= most) {
            return;
        }
        long paused = System.nanoTime();
        load.pause();
        while (inHand(muster, load) > most / 4) {
            if (System.nanoTime() - paused > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                throw new BenchFailed("what is in hand is not worked off");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        load.resume();
        pausedMillis += TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - paused);
    }

    private static long inHand(MusterUnderTest muster, OpenLoad load) {
        return muster.openJobs() + load.open();
    }

    private static String told(Map<SoakMeasure, Double> seen) {
        StringBuilder line = new StringBuilder();
        seen.forEach((measure, value) ->
                line.append(measure.word()).append(' ').append(Math.round(value)).append("  "));
        return line.toString().strip();
    }

    private JsonObject line(MusterUnderTest muster, OpenLoad.Seen seen, int offered) {
        JsonObject measures = new JsonObject();
        boolean allFlat = true;
        double[] jobsSoFar = array(jobs);
        for (Map.Entry<SoakMeasure, List<Double>> each : samples.entrySet()) {
            SoakMeasure measure = each.getKey();
            Flatness found = measure.judge(array(each.getValue()), jobsSoFar);
            allFlat &= found.flat();
            measures.put(
                    measure.grows() ? measure.word() + "_per_job" : measure.word(),
                    new JsonObject()
                            .put("early", AcceptBench.round(found.early(), 2))
                            .put("late", AcceptBench.round(found.late(), 2))
                            .put("flat", found.flat()));
            Progress.say(
                    "%s: %.2f, then %.2f: %s"
                            .formatted(
                                    measure.word(),
                                    found.early(),
                                    found.late(),
                                    found.flat() ? "flat" : "NOT FLAT " + each.getValue()));
        }
        return new JsonObject()
                .put("bench", "soak")
                .put("value", offered)
                .put("unit", "jobs/s")
                .put("minutes", minutes)
                .put("flat", allFlat)
                .mergeIn(measures)
                .put("jobs", seen.acknowledged().size())
                .put("failed_without_retry_after", seen.failedWithout())
                .put("failed_with_retry_after", seen.failedWith())
                .put("paused_s", AcceptBench.round(pausedMillis / 1e3, 1))
                .put("durable", muster.durable())
                .put("heap_mb", muster.heapMebibytes());
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
