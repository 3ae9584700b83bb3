package dev.muster.scheduler;

import dev.muster.domain.PoolId;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.http.HttpEdge;
import dev.muster.platform.run.Service;
import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Future;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The service around the pools' cores: one decision loop and one follower per pool. Where another
 * process leads a pool it stands by, folded up to date.
 */
public final class SchedulerService implements Service {

    private static final Logger LOG = LoggerFactory.getLogger(SchedulerService.class);

    /** Where PostgreSQL is on this machine, the services are, and share the data directory. */
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "::1", "localhost");

    static final String ROLE = "scheduler";
    private static final String SCHEMA = "scheduler";
    private static final long POOLS_MILLIS = 5_000;
    private static final long PARTITIONS_MILLIS = 3_600_000;
    private static final int WEEKS_AHEAD = 2;

    private final Map<String, PoolLoop> loops = new ConcurrentSkipListMap<>();
    private @Nullable ServiceContext context;
    private @Nullable HttpEdge edge;
    private @Nullable RollLoop roll;
    private final List<Long> timers = new ArrayList<>();
    private volatile boolean stopping;

    public SchedulerService() {}

    @Override
    public String role() {
        return ROLE;
    }

    @Override
    public Future<Void> start(ServiceContext given) {
        context = given;
        HttpEdge created =
                new HttpEdge(given, given.settings().get(PlatformSettings.SERVICE_TOKEN));
        edge = created;
        new InternalApi(loops).mount(created);
        return given.database()
                .migrate(SCHEMA)
                .compose(_ -> makePartitions(given))
                .compose(_ -> given.pools().refresh())
                .compose(_ -> startNewPools(given))
                .compose(_ -> created.listen(given.settings().get(SchedulerSettings.PORT)))
                .compose(port -> register(given, port))
                .onSuccess(_ -> {
                    keepLooking(given);
                    startRoll(given);
                });
    }

    /** Not into a folder that the services of other machines would not find. */
    private void startRoll(ServiceContext given) {
        boolean chosen = !given.settings().get(PlatformSettings.JOURNAL_STORE).isEmpty();
        if (!chosen && !LOOPBACK.contains(given.settings().get(PlatformSettings.SQL_HOST))) {
            LOG.info("old weeks of the journal stay in PostgreSQL: journal.store is not set");
            return;
        }
        RollLoop created = new RollLoop(given.database(), given.settings());
        roll = created;
        created.start();
    }

    private Future<Void> makePartitions(ServiceContext given) {
        return new Journal(given.database(), dev.muster.platform.sql.Pools.PUBLIC)
                .makePartitions(WEEKS_AHEAD);
    }

    private Future<Void> startNewPools(ServiceContext given) {
        List<String> wanted = given.settings().get(SchedulerSettings.POOLS);
        List<Future<Void>> started = new ArrayList<>();
        given.pools()
                .all()
                .forEach((pool, partition) -> {
                    boolean ours = wanted.isEmpty() || wanted.contains(pool.value());
                    if (ours && !stopping && !loops.containsKey(pool.value())) {
                        started.add(startPool(given, pool, partition));
                    }
                });
        return Future.join(started).mapEmpty();
    }

    private Future<Void> startPool(ServiceContext given, PoolId pool, int partition) {
        PoolLoop loop = new PoolLoop(PoolContext.of(given, pool, partition));
        loops.put(pool.value(), loop);
        given.health().check("scheduler." + pool, () -> health(loop));
        return loop.start();
    }

    private static Future<Void> health(PoolLoop loop) {
        String problem = loop.problem();
        return problem.isEmpty() ? Future.succeededFuture() : Future.failedFuture(problem);
    }

    private Future<Void> register(ServiceContext given, int port) {
        List<PoolId> pools =
                given.settings().get(SchedulerSettings.POOLS).stream().map(PoolId::new).toList();
        return given.register(role(), pools, port);
    }

    private void keepLooking(ServiceContext given) {
        int balance = given.settings().get(SchedulerSettings.BALANCE_SECONDS);
        if (balance > 0) {
            PoolBalance shares = new PoolBalance(given, loops);
            timers.add(given.vertx().setPeriodic(1000L * balance, _ -> shares.look()));
        }
        timers.add(
                given.vertx()
                        .setPeriodic(
                                POOLS_MILLIS,
                                _ ->
                                        given.pools()
                                                .refresh()
                                                .compose(_ -> startNewPools(given))
                                                .onFailure(e ->
                                                        LOG.debug("no look at the pools", e))));
        timers.add(
                given.vertx()
                        .setPeriodic(
                                PARTITIONS_MILLIS,
                                _ ->
                                        makePartitions(given)
                                                .onFailure(e ->
                                                        LOG.warn(
                                                                "no partitions of the journal"
                                                                        + " can be made: {}",
                                                                e.getMessage()))));
    }

    @Override
    public Future<Void> stop() {
        stopping = true;
        ServiceContext given = context;
        if (given == null) {
            return Future.succeededFuture();
        }
        timers.forEach(given.vertx()::cancelTimer);
        loops.keySet().forEach(pool -> given.health().remove("scheduler." + pool));
        HttpEdge last = edge;
        Future<Void> closed = last == null ? Future.succeededFuture() : last.close();
        return closed.otherwiseEmpty()
                .compose(_ -> given.vertx().executeBlocking(this::stopLoops, false))
                .compose(_ -> given.withdraw(role()).otherwiseEmpty());
    }

    private @Nullable Void stopLoops() throws InterruptedException {
        RollLoop rolling = roll;
        if (rolling != null) {
            rolling.stop();
        }
        List<Thread> ending = new ArrayList<>();
        for (PoolLoop each : loops.values()) {
            ending.add(Thread.ofVirtual().start(() -> stopQuietly(each)));
        }
        for (Thread each : ending) {
            each.join();
        }
        loops.clear();
        return null;
    }

    private static void stopQuietly(PoolLoop loop) {
        try {
            loop.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
