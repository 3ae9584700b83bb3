package dev.muster.bench;

import io.vertx.core.json.JsonObject;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The jobs of a comparison on Muster's local backend, each a real process. */
final class LocalRounds {

    private static final int CONNECTIONS = 16;
    private static final int WARM_JOBS = 2000;
    private static final int WARM_ROUNDS = 25;

    /** Of the processor time. A method that runs once a job is compiled after 5,000 to 20,000. */
    private static final double WARM_COMPILING = 0.03;

    /** The server counts rows of a connection up to a second late. */
    private static final long SETTLE_MILLIS = 2500;

    /**
     * One round.
     *
     * @param forks per job, as are rows, messages and processor time
     * @param compiling share of the processor time
     */
    record Figures(
            double perSecond,
            double forks,
            double rows,
            double messages,
            double cpuMillis,
            double compiling) {}

    /** The median round, and what is asked of the whole. */
    record Result(Figures median, boolean durable, long heap) {}

    private final MusterUnderTest muster;
    private final ExitRecords records;
    private final int jobs;
    private final int open;

    private LocalRounds(MusterUnderTest muster, ExitRecords records, int jobs, int open) {
        this.muster = muster;
        this.records = records;
        this.jobs = jobs;
        this.open = open;
    }

    static Result run(ExitRecords records, int nodes, int jobs, int rounds) {
        try (MusterUnderTest muster =
                MusterUnderTest.start(
                        List.of("-Xmx1g"),
                        "executor.backend=local",
                        // as Slurm runs the jobs of whoever submits them
                        "executor.local.user=" + System.getProperty("user.name"),
                        "executor.local.nodes=" + nodes,
                        "executor.local.devices=" + SlurmUnderTest.DEVICES,
                        "executor.local.cpuCores=64",
                        "executor.local.memoryGibibytes=500")) {
            LocalRounds own = new LocalRounds(muster, records, jobs, jobs);
            own.warm();
            List<Figures> all = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                all.add(own.round());
                Figures last = all.getLast();
                Progress.say(
                        "Muster: %.1f jobs/s, %.1f ms of processor time a job"
                                .formatted(last.perSecond(), last.cpuMillis()));
            }
            Figures median =
                    all.stream()
                            .sorted(Comparator.comparingDouble(Figures::perSecond))
                            .toList()
                            .get(rounds / 2);
            return new Result(median, muster.durable(), muster.heapMebibytes());
        }
    }

    /** Until hardly anything is compiled any more: services run for long. */
    private void warm() {
        double compiling = 1;
        for (int round = 0; round < WARM_ROUNDS && compiling > WARM_COMPILING; round++) {
            long cpu = muster.cpuMillis();
            long compilers = muster.compilerMillis();
            LoadResult result = load("--jobs", Integer.toString(WARM_JOBS), "--warmup", "0");
            compiling = (double) (muster.compilerMillis() - compilers) / (muster.cpuMillis() - cpu);
            Progress.say(
                    "warm-up: %.1f jobs/s, %.0f %% of the processor time for compiling"
                            .formatted(result.ended() / result.endedSeconds(), compiling * 100));
        }
    }

    private Figures round() {
        SlurmUnderTest.pause(SETTLE_MILLIS);
        records.clear();
        Forks forks = Forks.idle();
        long rows = muster.rowsWritten();
        long messages = muster.messagesWritten();
        long cpu = muster.cpuMillis();
        long compilers = muster.compilerMillis();
        forks.begin();
        LoadResult result = load("--jobs", Integer.toString(jobs), "--warmup", "0");
        double made = forks.end();
        double used = muster.cpuMillis() - cpu;
        double compiling = (muster.compilerMillis() - compilers) / used;
        if (result.ended() != jobs || result.refused() != 0) {
            throw new BenchFailed(
                    "%d of %d jobs ended, %d refused"
                            .formatted(result.ended(), jobs, result.refused()));
        }
        records.check(jobs);
        SlurmUnderTest.pause(SETTLE_MILLIS);
        return new Figures(
                jobs / result.endedSeconds(),
                made / jobs,
                (double) (muster.rowsWritten() - rows) / jobs,
                (double) (muster.messagesWritten() - messages) / jobs,
                used / jobs,
                compiling);
    }

    private LoadResult load(String... options) {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "--connections",
                                Integer.toString(CONNECTIONS),
                                "--max-open",
                                Integer.toString(open),
                                "--body",
                                spec().encode(),
                                "--events"));
        all.addAll(List.of(options));
        return GeneratorProcess.runBriefly(muster.port(), muster.token(), all);
    }

    private JsonObject spec() {
        return new JsonObject()
                .put("name", "record")
                .put("instances", 1)
                .put(
                        "resources",
                        new JsonObject().put("cpu", 1).put("memory", "64Mi").put("accelerators", 1))
                .put("command", records.command());
    }
}
