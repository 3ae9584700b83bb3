package dev.muster.bench;

import io.vertx.core.json.JsonObject;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
        SIMULATED
    }

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

    @Option(names = "--nodes", defaultValue = "500", description = "simulated nodes of 8 devices")
    private int nodes;

    @Override
    public Integer call() {
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
        return 0;
    }

    private LoadResult load(MusterUnderTest muster, int forSeconds, int rate) {
        return GeneratorProcess.run(
                muster.port(),
                muster.token(),
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
    }
}
