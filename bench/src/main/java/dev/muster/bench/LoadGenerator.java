package dev.muster.bench;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** A process that submits jobs over a fixed number of connections and prints what it saw. */
@Command(name = "load-generator", hidden = true)
final class LoadGenerator implements Callable<Integer> {

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
            defaultValue = "5",
            description = "seconds before that, not counted")
    private int warmup;

    @Option(names = "--rate", defaultValue = "0", description = "jobs per second; 0: closed loop")
    private int rate;

    @Option(names = "--max-open", defaultValue = "0", description = "jobs not ended yet; 0: any")
    private int maxOpen;

    @Option(names = "--events", description = "follow the jobs to their end")
    private boolean events;

    @Override
    public Integer call() throws Exception {
        Vertx vertx =
                Vertx.vertx(
                        new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(false));
        Load load = new Load(vertx, new Load.Target(port, token), connections, maxOpen);
        if (events) {
            load.followEvents().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
        load.run(warmup, rate);
        load.awaitEnds();
        load.reset();
        load.run(seconds, rate);
        load.awaitEnds();
        System.out.println(load.result().line());
        return 0;
    }
}
