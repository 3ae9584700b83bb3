package dev.muster.monitor;

import static dev.muster.platform.config.PlatformSettings.SERVICE_TOKEN;

import dev.muster.domain.PoolId;
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
import java.util.function.Supplier;

/**
 * The monitor: watches the running jobs of one pool and reports hangs, the causes of exits, and
 * progress after restarts. What follows is the scheduler's decision.
 */
public final class MonitorService implements Service {

    private static final String ROLE = "monitor";

    private @Nullable Running running;

    /** What a started monitor holds; parts that were not reached yet are null. */
    private static final class Running {
        final ServiceContext context;
        final MonitorMetrics metrics;
        @Nullable RecordProducer producer;
        @Nullable HttpEdge edge;
        @Nullable LeaseOwner owner;
        volatile @Nullable MonitorTerm term;

        Running(ServiceContext context) {
            this.context = context;
            this.metrics = new MonitorMetrics(context.meters());
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
        PoolId pool = new PoolId(context.settings().get(MonitorSettings.POOL));
        return context.database()
                .migrate(ROLE)
                .compose(_ -> context.pools().refresh())
                .compose(_ -> serve(own, pool))
                .compose(_ -> watch(own, pool));
    }

    private static Future<Void> serve(Running own, PoolId pool) {
        ServiceContext context = own.context;
        HttpEdge edge = new HttpEdge(context, context.settings().get(SERVICE_TOKEN));
        own.edge = edge;
        return edge.listen(context.settings().get(MonitorSettings.PORT))
                .compose(port -> context.register(ROLE, List.of(pool), port));
    }

    private static Future<Void> watch(Running own, PoolId pool) {
        ServiceContext context = own.context;
        Integer partition = context.pools().partition(pool).orElse(null);
        if (partition == null) {
            return Future.failedFuture(
                    "monitor.pool is " + pool + ", and there is no such pool (setting pools)");
        }
        RecordProducer producer =
                RecordProducer.open(context.vertx(), context.kafka(), ROLE, context.meters());
        own.producer = producer;
        long leaseMillis = context.settings().get(MonitorSettings.LEASE_MILLIS);
        PoolLease lease =
                new PoolLease(
                        context.database(),
                        "monitor.lease",
                        pool,
                        context.serviceId(),
                        leaseMillis);
        MonitorTerm.Means means =
                new MonitorTerm.Means(context, pool, partition, producer, own.metrics);
        LeaseOwner owner =
                new LeaseOwner(
                        SerialLoop.of(context.vertx()),
                        ROLE,
                        lease,
                        leaseMillis,
                        ownership -> {
                            MonitorTerm term = new MonitorTerm(means, ownership);
                            own.term = term;
                            return term;
                        });
        own.owner = owner;
        context.health().check(ROLE, () -> ready(own, owner));
        return owner.start();
    }

    private static Future<Void> ready(Running own, LeaseOwner owner) {
        String problem = owner.problem();
        MonitorTerm term = own.term;
        if (!problem.isEmpty()) {
            return Future.failedFuture(problem);
        }
        return owner.epoch() > 0 && (term == null || !term.acting())
                ? Future.failedFuture("the pool's facts are being loaded")
                : Future.succeededFuture();
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
        LeaseOwner owner = own.owner;
        HttpEdge edge = own.edge;
        RecordProducer producer = own.producer;
        return optionally(owner == null ? null : owner::stop)
                .eventually(() -> context.withdraw(ROLE))
                .eventually(() -> optionally(edge == null ? null : edge::close))
                .eventually(() -> optionally(producer == null ? null : producer::close))
                .onComplete(_ -> own.metrics.close());
    }

    private static Future<Void> optionally(@Nullable Supplier<Future<Void>> step) {
        return step == null ? Future.succeededFuture() : step.get();
    }
}
