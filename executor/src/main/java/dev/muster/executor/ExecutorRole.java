package dev.muster.executor;

import static dev.muster.platform.config.PlatformSettings.SERVICE_TOKEN;

import dev.muster.domain.PoolId;
import dev.muster.platform.config.Settings;
import dev.muster.platform.http.HttpEdge;
import dev.muster.platform.kafka.RecordProducer;
import dev.muster.platform.lease.LeaseOwner;
import dev.muster.platform.lease.PoolLease;
import dev.muster.platform.run.SerialLoop;
import dev.muster.platform.run.Service;
import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Future;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The executor: turns the grants of one pool into running instances and reports what becomes of
 * them. Instances do not depend on it: they run on when it ends, and the next one takes them over.
 */
public final class ExecutorRole implements Service {

    private static final String ROLE = "executor";
    private static final long RETENTION_MINUTES = 10;

    private @Nullable Running running;

    /** What a started executor holds; parts that were not reached yet are null. */
    private static final class Running {
        final ServiceContext context;
        final ExecutorMetrics metrics;
        @Nullable InstanceBackend backend;
        @Nullable RecordProducer producer;
        @Nullable HttpEdge edge;
        @Nullable LeaseOwner owner;
        volatile @Nullable ShardTerm term;
        @Nullable Long retentionTimer;

        Running(ServiceContext context) {
            this.context = context;
            this.metrics = new ExecutorMetrics(context.meters());
        }
    }

    @Override
    public String role() {
        return ROLE;
    }

    @Override
    public Future<Void> start(ServiceContext context) {
        Running own = new Running(context);
        running = own;
        Settings settings = context.settings();
        PoolId pool = new PoolId(settings.get(ExecutorSettings.POOL));
        return context.database()
                .migrate(ROLE)
                .compose(_ -> context.pools().refresh())
                .compose(_ -> context.vertx().executeBlocking(() -> Backends.of(settings), false))
                .compose(backend -> serve(own, pool, backend))
                .compose(_ -> own(own, pool));
    }

    private static Future<Void> serve(Running own, PoolId pool, InstanceBackend backend) {
        ServiceContext context = own.context;
        own.backend = backend;
        own.producer =
                RecordProducer.open(context.vertx(), context.kafka(), ROLE, context.meters());
        HttpEdge edge = new HttpEdge(context, context.settings().get(SERVICE_TOKEN));
        own.edge = edge;
        new ExecutorApi(backend, context.settings().get(ExecutorSettings.LOG_READERS)).mount(edge);
        return edge.listen(context.settings().get(ExecutorSettings.PORT))
                .compose(port -> context.register(ROLE, List.of(pool), port));
    }

    private static Future<Void> own(Running own, PoolId pool) {
        ServiceContext context = own.context;
        Settings settings = context.settings();
        Integer partition = context.pools().partition(pool).orElse(null);
        if (partition == null) {
            return Future.failedFuture(
                    "executor.pool is " + pool + ", and there is no such pool (setting pools)");
        }
        long leaseMillis = settings.get(ExecutorSettings.LEASE_MILLIS);
        PoolLease lease =
                new PoolLease(
                        context.database(),
                        "executor.shard",
                        pool,
                        context.serviceId(),
                        leaseMillis);
        ShardTerm.Means means =
                new ShardTerm.Means(
                        context,
                        pool,
                        partition,
                        java.util.Objects.requireNonNull(own.backend),
                        java.util.Objects.requireNonNull(own.producer),
                        own.metrics,
                        settings.get(ExecutorSettings.RESYNC_MILLIS),
                        settings.get(ExecutorSettings.PROGRESS_INTERVAL_MILLIS));
        LeaseOwner owner =
                new LeaseOwner(
                        SerialLoop.of(context.vertx()),
                        ROLE,
                        lease,
                        leaseMillis,
                        ownership -> {
                            ShardTerm term = new ShardTerm(means, ownership);
                            own.term = term;
                            return term;
                        });
        own.owner = owner;
        context.health().check(ROLE, () -> ready(own, owner));
        keepFiles(own);
        return owner.start();
    }

    private static Future<Void> ready(Running own, LeaseOwner owner) {
        String problem = owner.problem();
        ShardTerm term = own.term;
        if (!problem.isEmpty()) {
            return Future.failedFuture(problem);
        }
        return owner.epoch() > 0 && (term == null || !term.acting())
                ? Future.failedFuture("the pool's facts are being loaded")
                : Future.succeededFuture();
    }

    private static void keepFiles(Running own) {
        if (own.backend instanceof LocalBackend local) {
            ServiceContext context = own.context;
            Runnable step = () -> apply(context, local);
            own.retentionTimer =
                    context.vertx()
                            .setPeriodic(
                                    0,
                                    TimeUnit.MINUTES.toMillis(RETENTION_MINUTES),
                                    _ -> Thread.ofVirtual().name("retention").start(step));
        }
    }

    private static void apply(ServiceContext context, LocalBackend local) {
        Backends.retention(context.settings(), local.tree()).apply(context.clock().millis());
    }

    @Override
    public Future<Void> stop() {
        Running own = running;
        running = null;
        if (own == null) {
            return Future.succeededFuture();
        }
        ServiceContext context = own.context;
        context.health().remove(ROLE);
        Long timer = own.retentionTimer;
        if (timer != null) {
            context.vertx().cancelTimer(timer);
        }
        LeaseOwner owner = own.owner;
        HttpEdge edge = own.edge;
        RecordProducer producer = own.producer;
        return optionally(owner == null ? null : owner::stop)
                .eventually(() -> context.withdraw(ROLE))
                .eventually(() -> optionally(edge == null ? null : edge::close))
                .eventually(() -> optionally(producer == null ? null : producer::close))
                .onComplete(_ -> close(own));
    }

    private static void close(Running own) {
        own.metrics.close();
        InstanceBackend backend = own.backend;
        if (backend != null) {
            backend.close();
        }
    }

    private static Future<Void> optionally(@Nullable Supplier<Future<Void>> step) {
        return step == null ? Future.succeededFuture() : step.get();
    }
}
