package dev.muster.bench;

import io.vertx.core.json.JsonObject;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

@Command(
        name = "accept",
        description =
                "Submissions that are durably accepted a second, against a bare Vert.x handler that"
                        + " reads and parses the same body.",
        mixinStandardHelpOptions = true)
final class AcceptBench implements Callable<Integer> {

    private static final long LAG_PATIENCE_SECONDS = 300;

    /** What to compare with. */
    enum Against {
        VERTX
    }

    @Option(names = "--against", defaultValue = "vertx", description = "${COMPLETION-CANDIDATES}")
    private Against against = Against.VERTX;

    @Option(names = "--seconds", defaultValue = "30", description = "of each closed loop")
    private int seconds;

    @Option(names = "--connections", defaultValue = "256", description = "of the generator")
    private int connections;

    @Override
    public Integer call() throws InterruptedException {
        LoadResult bare = bare();
        Progress.say("bare handler: %.0f answers/s".formatted(bare.perSecond()));
        // no devices: jobs are accepted, journalled and parked; what runs is not measured here
        try (MusterUnderTest muster =
                MusterUnderTest.start(
                        List.of("-Xmx2g"),
                        "executor.backend=simulated",
                        "executor.simulated.devices=0")) {
            LoadResult closed = load(muster, seconds, 0);
            double lag =
                    (muster.awaitJournalled(LAG_PATIENCE_SECONDS) - closed.lastAnswerMillis())
                            / 1e3;
            Progress.say("Muster: %.0f accepted/s, lag %.2f s".formatted(closed.perSecond(), lag));
            long heap = muster.heapMebibytes();
            int half = (int) (closed.perSecond() / 2);
            LoadResult open = load(muster, Math.max(5, seconds / 3), half);
            muster.awaitJournalled(LAG_PATIENCE_SECONDS);
            Progress.say(
                    "at %d/s: p50 %.2f ms, p99 %.2f ms"
                            .formatted(half, open.p50Millis(), open.p99Millis()));
            Measured measured = new Measured(bare, closed, open, Math.max(0, lag), heap);
            System.out.println(line(measured, muster.durable()).encode());
        }
        return 0;
    }

    private LoadResult load(MusterUnderTest muster, int forSeconds, int rate) {
        return GeneratorProcess.run(muster.port(), muster.token(), options(forSeconds, rate));
    }

    private List<String> options(int forSeconds, int rate) {
        return List.of(
                "--connections",
                Integer.toString(connections),
                "--seconds",
                Integer.toString(forSeconds),
                "--rate",
                Integer.toString(rate));
    }

    private LoadResult bare() {
        Progress.say("measuring a bare Vert.x handler for %d s".formatted(seconds));
        try (ChildProcess handler =
                ChildProcess.java(
                        "dev.muster.bench.Main",
                        List.of("-Xmx2g"),
                        List.of("bench", "bare-handler"))) {
            String line = handler.line(text -> text.startsWith("port "));
            return GeneratorProcess.run(
                    Integer.parseInt(line.substring(5)),
                    "none-is-needed-here",
                    options(seconds, 0));
        }
    }

    private record Measured(
            LoadResult bare, LoadResult closed, LoadResult open, double lag, long heap) {}

    private JsonObject line(Measured m, boolean durable) {
        LoadResult closed = m.closed();
        return new JsonObject()
                .put("bench", "accept")
                .put("value", Math.round(closed.perSecond()))
                .put("unit", "accepted jobs/s")
                .put("against", against.name().toLowerCase(Locale.ROOT))
                .put("against_value", Math.round(m.bare().perSecond()))
                .put("ratio", round(closed.perSecond() / m.bare().perSecond(), 3))
                .put("durable", durable)
                .put("lag_s", round(m.lag(), 3))
                .put("settled_per_s", Math.round(closed.accepted() / (closed.seconds() + m.lag())))
                .put("p50_ms", round(m.open().p50Millis(), 2))
                .put("p99_ms", round(m.open().p99Millis(), 2))
                .put("refused", closed.refused() + m.open().refused())
                .put("connections", connections)
                .put("seconds", round(closed.seconds(), 1))
                .put("heap_mb", m.heap());
    }

    static double round(double value, int digits) {
        double scale = Math.pow(10, digits);
        return Math.round(value * scale) / scale;
    }
}
