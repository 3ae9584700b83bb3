package dev.muster.bench;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** A process that submits jobs over a fixed number of connections and prints what it saw. */
@Command(name = "load-generator", hidden = true)
final class LoadGenerator implements Callable<Integer> {

    private static final int WARM_ROUND_SECONDS = 5;
    private static final double WARM_GROWTH = 1.03;

    @Option(names = "--port", required = true)
    private int port;

    @Option(names = "--token", defaultValue = "none-is-needed-here")
    private String token = "";

    @Option(names = "--connections", defaultValue = "64")
    private int connections;

    @Option(names = "--seconds", defaultValue = "30")
    private int seconds;

    @Option(
            names = "--warmup",
            defaultValue = "90",
            description = "seconds before that at most, not counted")
    private int warmup;

    @Option(names = "--rate", defaultValue = "0", description = "jobs per second; 0: closed loop")
    private int rate;

    @Option(names = "--max-open", defaultValue = "0", description = "jobs not ended yet; 0: any")
    private int maxOpen;

    @Option(names = "--jobs", defaultValue = "0", description = "submit so many; 0: for so long")
    private int jobs;

    @Option(names = "--body", description = "what to submit; the fixed specification if not given")
    private @Nullable String body;

    @Option(names = "--events", description = "follow the jobs to their end")
    private boolean events;

    @Override
    public Integer call() throws Exception {
        Vertx vertx =
                Vertx.vertx(
                        new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(false));
        Buffer spec = body == null ? Buffer.buffer(BenchSpec.bytes()) : Buffer.buffer(body);
        Load load = new Load(vertx, new Load.Target(port, token), spec, connections, maxOpen);
        if (events) {
            load.followEvents().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
        warm(load);
        if (jobs > 0) {
            load.runJobs(jobs);
        } else {
            load.run(seconds, rate);
        }
        load.awaitEnds();
        System.out.println(load.result().line());
        return 0;
    }

    /**
     * Rounds that do not count, until two in a row bring no more than the best before them: what is
     * measured is a JVM that has been running, as a service's is.
     */
    private void warm(Load load) throws InterruptedException {
        long best = 0;
        int level = 0;
        for (int spent = 0; spent < warmup; spent += WARM_ROUND_SECONDS) {
            load.run(WARM_ROUND_SECONDS, rate);
            load.awaitEnds();
            long accepted = load.result().accepted();
            load.reset();
            Progress.say("warm-up: %d/s".formatted(accepted / WARM_ROUND_SECONDS));
            level = accepted < best * WARM_GROWTH ? level + 1 : 0;
            if (level == 2) {
                return;
            }
            best = Math.max(best, accepted);
        }
    }
}
