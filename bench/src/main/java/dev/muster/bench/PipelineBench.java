package dev.muster.bench;

import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

@Command(
        name = "pipeline",
        description = "Jobs a second from submission to an end that is known on the event stream.",
        mixinStandardHelpOptions = true)
final class PipelineBench implements Callable<Integer> {

    /** What runs the jobs. */
    enum Backend {
        SIMULATED,
        LOCAL
    }

    /** What to compare with. */
    enum Against {
        SLURM
    }

    private static final int SIMULATED_NODES = 500;
    private static final int LOCAL_NODES = 16;

    @Option(
            names = "--backend",
            defaultValue = "simulated",
            description = "${COMPLETION-CANDIDATES}")
    private Backend backend = Backend.SIMULATED;

    @Option(names = "--seconds", defaultValue = "30", description = "of the closed loop")
    private int seconds;

    @Option(names = "--connections", defaultValue = "256", description = "of the generator")
    private int connections;

    @Option(names = "--open", defaultValue = "2000", description = "jobs in hand at once, at most")
    private int open;

    @Option(
            names = "--nodes",
            defaultValue = "0",
            description = "pretended nodes of 8 devices; 0: 500 simulated, 16 local ones")
    private int nodes;

    @Option(
            names = "--against",
            description = "with local: the same on ${COMPLETION-CANDIDATES} in the same run")
    private @Nullable Against against;

    @Option(
            names = "--notify",
            description = "with simulated: from submission to a delivered webhook")
    private boolean notified;

    @Option(names = "--jobs", defaultValue = "1000", description = "with local: of each round")
    private int jobs;

    @Option(names = "--rounds", defaultValue = "3", description = "with local: median of so many")
    private int rounds;

    @Override
    public Integer call() {
        switch (backend) {
            case SIMULATED -> {
                if (against != null) {
                    throw new BenchFailed("--against slurm goes with --backend local: real jobs");
                }
                int simulated = nodes == 0 ? SIMULATED_NODES : nodes;
                if (notified) {
                    notified(simulated);
                } else {
                    simulated(simulated);
                }
            }
            case LOCAL -> {
                if (notified) {
                    throw new BenchFailed("--notify goes with --backend simulated");
                }
                System.out.println(local(nodes == 0 ? LOCAL_NODES : nodes).encode());
            }
        }
        return 0;
    }

    /** Real processes; each system has the machine for itself in its turn. */
    private JsonObject local(int nodes) {
        try (ExitRecords records = ExitRecords.create()) {
            SlurmRounds.Both slurm =
                    against == null ? null : SlurmRounds.run(records, nodes, jobs, rounds);
            LocalRounds.Result muster = LocalRounds.run(records, nodes, jobs, rounds);
            LocalRounds.Figures median = muster.median();
            JsonObject line =
                    new JsonObject()
                            .put("bench", "pipeline")
                            .put("backend", "local")
                            .put("value", AcceptBench.round(median.perSecond(), 1))
                            .put("unit", "jobs/s");
            if (slurm != null) {
                compare(line, slurm, median.perSecond());
            }
            return line.put("durable", muster.durable())
                    .put("nodes", nodes)
                    .put("jobs", jobs)
                    .put("rounds", rounds)
                    .put("forks_per_job", AcceptBench.round(median.forks(), 1))
                    .put("rows_per_job", AcceptBench.round(median.rows(), 1))
                    .put("messages_per_job", AcceptBench.round(median.messages(), 1))
                    .put("cpu_ms_per_job", AcceptBench.round(median.cpuMillis(), 1))
                    .put("compiling_share", AcceptBench.round(median.compiling(), 3))
                    .put("heap_mb", muster.heap());
        }
    }

    private static void compare(JsonObject line, SlurmRounds.Both slurm, double perSecond) {
        double other = slurm.better().perSecond();
        line.put("against", "slurm")
                .put("against_value", AcceptBench.round(other, 1))
                .put("ratio", AcceptBench.round(perSecond / other, 2))
                .put("against_way", slurm.arrayIsBetter() ? "array" : "sbatch per job")
                .put("against_sbatch", AcceptBench.round(slurm.single().perSecond(), 1))
                .put("against_array", AcceptBench.round(slurm.array().perSecond(), 1))
                .put("against_forks_per_job", AcceptBench.round(slurm.better().forksPerJob(), 1));
    }

    private void simulated(int nodes) {
        String name = backend.name().toLowerCase(Locale.ROOT);
        try (MusterUnderTest muster =
                MusterUnderTest.start(
                        List.of("-Xmx2g"),
                        "executor.backend=" + name,
                        "executor.simulated.nodes=" + nodes)) {
            Progress.say("closed loop, %d s, at most %d jobs in hand".formatted(seconds, open));
            LoadResult closed = load(muster, seconds, 0);
            double perSecond = closed.ended() / closed.endedSeconds();
            Progress.say("%.0f jobs/s to their end".formatted(perSecond));
            long heap = muster.heapMebibytes();
            int half = (int) (perSecond / 2);
            LoadResult paced = load(muster, Math.max(5, seconds / 2), half);
            Progress.say(
                    "at %d/s: submit to start p50 %.1f ms, p99 %.1f ms"
                            .formatted(half, paced.startP50Millis(), paced.startP99Millis()));
            System.out.println(
                    new JsonObject()
                            .put("bench", "pipeline")
                            .put("backend", name)
                            .put("value", Math.round(perSecond))
                            .put("unit", "jobs/s")
                            .put("durable", muster.durable())
                            .put("p50_ms", AcceptBench.round(paced.startP50Millis(), 2))
                            .put("p99_ms", AcceptBench.round(paced.startP99Millis(), 2))
                            .put("jobs", closed.ended())
                            .put("refused", closed.refused() + paced.refused())
                            .put("heap_mb", heap)
                            .encode());
        }
    }

    private void notified(int nodes) {
        try (MusterUnderTest muster =
                        MusterUnderTest.start(
                                List.of("-Xmx2g"),
                                "executor.backend=simulated",
                                "executor.simulated.nodes=" + nodes,
                                Deliveries.SETTING);
                Deliveries deliveries = Deliveries.subscribe(muster)) {
            Progress.say("warming up, at most %d jobs in hand".formatted(open));
            LoadResult warm = load(muster, 1, 0);
            deliveries.settle();
            Progress.say("closed loop, %d s".formatted(seconds));
            LoadResult closed = load(muster, seconds, 0, "--warmup", "0");
            Deliveries.Arrived arrived = deliveries.await(closed.ended());
            System.out.println(
                    new JsonObject()
                            .put("bench", "pipeline")
                            .put("backend", "simulated")
                            .put("notify", true)
                            .put("value", Math.round(arrived.perSecond()))
                            .put("unit", "jobs/s to a delivered webhook")
                            .put("durable", muster.durable())
                            .put("jobs", closed.ended())
                            .put("delivered", arrived.ids())
                            .put("repeats", arrived.repeats())
                            .put("ended_per_s", Math.round(closed.ended() / closed.endedSeconds()))
                            .put("delay_p50_ms", arrived.p50Millis())
                            .put("delay_p99_ms", arrived.p99Millis())
                            .put("refused", warm.refused() + closed.refused())
                            .put("heap_mb", muster.heapMebibytes())
                            .encode());
        }
    }

    private LoadResult load(
            MusterUnderTest muster, int forSeconds, int rate, String... moreOptions) {
        List<String> options =
                new ArrayList<>(
                        List.of(
                                "--connections",
                                Integer.toString(connections),
                                "--seconds",
                                Integer.toString(forSeconds),
                                "--rate",
                                Integer.toString(rate),
                                "--max-open",
                                Integer.toString(rate == 0 ? open : 0),
                                "--events"));
        options.addAll(List.of(moreOptions));
        return GeneratorProcess.run(muster.port(), muster.token(), options);
    }
}
