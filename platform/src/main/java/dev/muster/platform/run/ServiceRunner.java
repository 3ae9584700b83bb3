package dev.muster.platform.run;

import dev.muster.platform.config.InvalidSettings;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.kafka.KafkaAccess;
import dev.muster.platform.kafka.KafkaProbe;
import dev.muster.platform.observe.Health;
import dev.muster.platform.observe.Logging;
import dev.muster.platform.observe.Metrics;
import dev.muster.platform.sql.Database;
import dev.muster.platform.sql.Pools;
import dev.muster.platform.sql.ServiceDirectory;

import io.vertx.core.Future;
import io.vertx.core.Vertx;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Brings services up in order and down in reverse, in one JVM: migrations, topics, pools, then each
 * service. All methods block; they are for a main thread.
 */
public final class ServiceRunner implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ServiceRunner.class);
    private static final long START_SECONDS = 60;
    private static final long STOP_SECONDS = 20;

    /** sysexits' EX_SOFTWARE. */
    private static final int FATAL_STATUS = 70;

    private final ServiceContext context;
    private final List<Service> running = new ArrayList<>();
    private final CompletableFuture<Integer> end = new CompletableFuture<>();
    private final KafkaProbe probe;
    private boolean closed;

    private ServiceRunner(Shared shared, Settings settings) {
        this.context =
                new ServiceContext(
                        shared.vertx,
                        settings,
                        shared.database,
                        shared.kafka,
                        new ServiceDirectory(shared.vertx, shared.database),
                        new Pools(shared.database, shared.kafka.topics().partitions()),
                        new Health(),
                        Metrics.registry(settings.get(PlatformSettings.SERVICE_ID)),
                        Clock.systemUTC(),
                        this::fail);
        this.probe = new KafkaProbe(shared.kafka);
    }

    private record Shared(Vertx vertx, Database database, KafkaAccess kafka) {}

    /**
     * Prepares what all services share.
     *
     * @throws InvalidSettings if {@code MUSTER_CRASH_AT} names nothing
     * @throws ServiceFailed with one sentence if PostgreSQL or Kafka cannot be used
     */
    public static ServiceRunner prepare(Settings settings) {
        Logging.apply(settings);
        settings.remarks().forEach(LOG::warn);
        Optional<String> problem = Failpoints.problem();
        if (problem.isPresent()) {
            throw new InvalidSettings(List.of(problem.get()));
        }
        Vertx vertx = Vertx.vertx();
        Shared shared =
                new Shared(vertx, Database.open(vertx, settings), new KafkaAccess(settings));
        ServiceRunner runner = new ServiceRunner(shared, settings);
        try {
            runner.prepareShared();
            return runner;
        } catch (RuntimeException e) {
            runner.close();
            throw e;
        }
    }

    private void prepareShared() {
        // both take their time, and neither needs the other
        Future<Void> topics =
                context.vertx()
                        .executeBlocking(
                                () -> {
                                    context.kafka().createTopics();
                                    return null;
                                },
                                false);
        await("the database", context.database().migrate("platform"), START_SECONDS);
        await("the topics", topics, START_SECONDS);
        await(
                "the pools",
                context.pools().declare(context.settings().get(PlatformSettings.POOLS)),
                START_SECONDS);
        context.health().check("database", () -> context.database().checkDurable());
        context.health().check("kafka", () -> probe.check(context.vertx()));
    }

    public ServiceContext context() {
        return context;
    }

    /**
     * Starts one more service.
     *
     * @throws ServiceFailed with one sentence; those that run go on
     */
    public void start(Service service) {
        LOG.info("{} starts", service.role());
        running.add(service);
        await(service.role(), service.start(context), START_SECONDS);
        LOG.info("{} serves", service.role());
    }

    /**
     * Waits for SIGTERM, SIGINT or a fatal failure, then stops everything.
     *
     * @return exit status: 0, or 70 after a fatal failure
     */
    public int awaitEnd() {
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .name("muster-stop")
                                .unstarted(() -> {
                                    end.complete(0);
                                    close();
                                }));
        int status = end.join();
        close();
        return status;
    }

    private void fail(Throwable cause) {
        LOG.error("Muster stops: {}", cause.getMessage(), cause);
        end.complete(FATAL_STATUS);
    }

    /** Stops everything, the last started first; never throws. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        for (Service each : running.reversed()) {
            quietly(each.role(), each.stop());
        }
        context.directory().close();
        probe.close();
        quietly("the database pool", context.database().close());
        quietly("vertx", context.vertx().close());
        context.meters().close();
    }

    private static void quietly(String what, Future<Void> stopping) {
        try {
            stopping.toCompletionStage().toCompletableFuture().get(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("{} did not stop well: {}", what, e.toString());
        }
    }

    private static void await(String what, Future<Void> starting, long seconds) {
        try {
            starting.toCompletionStage().toCompletableFuture().get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new ServiceFailed(what + " cannot start: " + cause.getMessage(), cause);
        } catch (TimeoutException e) {
            throw new ServiceFailed(what + " did not start within " + seconds + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServiceFailed(what + " was interrupted at its start", e);
        }
    }
}
