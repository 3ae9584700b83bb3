package dev.muster.gateway;

import static java.util.Objects.requireNonNull;

import dev.muster.domain.Failure;
import dev.muster.domain.PoolId;
import dev.muster.platform.http.FailureException;
import dev.muster.platform.kafka.JournalledPositions;
import dev.muster.platform.kafka.LaneRoute;
import dev.muster.platform.kafka.LaneSender;
import dev.muster.platform.kafka.RecordProducer;
import dev.muster.platform.run.Failpoints;
import dev.muster.platform.run.SerialLoop;
import dev.muster.platform.run.ServiceContext;

import io.micrometer.core.instrument.Gauge;
import io.vertx.core.Context;
import io.vertx.core.Future;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The gateway's lanes, one to each pool; a pool that appears gets its own. On one context. */
final class Lanes {

    private static final Logger LOG = LoggerFactory.getLogger(Lanes.class);
    private static final long EXPIRE_MILLIS = 250;

    private record Lane(LaneStore store, LaneWriter writer, LaneSender sender) {}

    private final ServiceContext service;
    private final Context context;
    private final RecordProducer producer;
    private final StorageTrouble storage;
    private final AcceptMeters meters;
    private final UUID owner = UUID.randomUUID();
    private final Map<PoolId, Lane> lanes = new HashMap<>();
    private @Nullable Future<Void> refreshing;
    private final List<Long> timers = new ArrayList<>();

    Lanes(ServiceContext service, Context context, StorageTrouble storage, AcceptMeters meters) {
        this.service = service;
        this.context = context;
        this.storage = storage;
        this.meters = meters;
        this.producer =
                RecordProducer.open(
                        service.vertx(),
                        service.kafka(),
                        "gateway-" + service.serviceId(),
                        service.meters());
    }

    /** Takes over the lanes to all pools. */
    Future<Void> start() {
        timers.add(service.vertx().setPeriodic(EXPIRE_MILLIS, _ -> expire()));
        int millis = service.settings().get(GatewaySettings.POOLS_MILLIS);
        timers.add(
                service.vertx()
                        .setPeriodic(
                                millis,
                                _ ->
                                        refresh()
                                                .onFailure(cause ->
                                                        LOG.debug(
                                                                "pools are not read: {}",
                                                                cause.getMessage()))));
        service.health().check("lanes", this::health);
        return refresh();
    }

    private void expire() {
        long now = System.nanoTime();
        lanes.values().forEach(lane -> lane.writer.expire(now));
    }

    private Future<Void> health() {
        for (Map.Entry<PoolId, Lane> each : lanes.entrySet()) {
            Future<Void> ready = each.getValue().sender.ready();
            Failure trouble = each.getValue().writer.trouble();
            if (ready.failed()) {
                return Future.failedFuture(ready.cause().getMessage());
            }
            if (trouble != null) {
                return Future.failedFuture("pool " + each.getKey() + ": " + trouble.message());
            }
        }
        return Future.succeededFuture();
    }

    /** Reads the pools anew; a call while one is under way shares its end. */
    private Future<Void> refresh() {
        Future<Void> running = refreshing;
        if (running != null && !running.isComplete()) {
            return running;
        }
        Future<Void> fresh =
                service.pools()
                        .refresh()
                        .compose(_ -> {
                            List<Future<Void>> opened = new ArrayList<>();
                            service.pools()
                                    .all()
                                    .forEach((pool, partition) -> {
                                        if (!lanes.containsKey(pool)) {
                                            opened.add(open(pool, partition));
                                        }
                                    });
                            return Future.all(opened).mapEmpty();
                        });
        refreshing = fresh;
        return fresh;
    }

    private Future<Void> open(PoolId pool, int partition) {
        LaneRoute route =
                LaneRoute.ofGateway(service.serviceId(), pool, service.kafka().topics(), partition);
        LaneStore store = new LaneStore(service.database(), route.lane(), pool.value(), owner);
        return store.takeOver()
                .onFailure(_ -> store.close().onComplete(_ -> {}))
                .map(head -> {
                    Failpoints.reach("gateway.lane.taken");
                    LOG.info("lane {} is taken over at {}", route.lane(), head);
                    lanes.put(pool, lane(route, store, head));
                    return null;
                });
    }

    private Lane lane(LaneRoute route, LaneStore store, LaneStore.Head head) {
        LaneSender sender =
                LaneSender.open(
                        route,
                        new LaneSender.Means(
                                SerialLoop.of(service.vertx()),
                                producer,
                                JournalledPositions.in(service.database()),
                                (from, atMost) -> store.read(head, from, atMost),
                                service.settings(),
                                service.meters()),
                        head.n());
        LaneWriter writer =
                new LaneWriter(
                        route.lane(),
                        head,
                        new LaneWriter.Means(
                                context, service.settings(), store, sender, storage, meters));
        Gauge.builder("muster.gateway.waiting", writer, LaneWriter::waiting)
                .description("Submissions that wait for their batch")
                .tag("pool", route.pool().value())
                .register(service.meters());
        return new Lane(store, writer, sender);
    }

    /** Null if the pool is not known, as far as was read. */
    @Nullable LaneWriter writer(PoolId pool) {
        Lane lane = lanes.get(pool);
        return lane == null ? null : lane.writer;
    }

    /** As above, after the pools were read anew; fails with {@link Failure.NotFound}. */
    Future<LaneWriter> find(PoolId pool) {
        LaneWriter known = writer(pool);
        if (known != null) {
            return Future.succeededFuture(known);
        }
        return refresh()
                .map(_ -> {
                    if (!lanes.containsKey(pool)) {
                        throw new FailureException(
                                new Failure.NotFound("There is no pool " + pool + "."));
                    }
                    return requireNonNull(lanes.get(pool)).writer;
                });
    }

    Future<Void> stop() {
        timers.forEach(service.vertx()::cancelTimer);
        service.health().remove("lanes");
        List<Future<Void>> closing = new ArrayList<>();
        for (Lane lane : lanes.values()) {
            lane.writer.close(new Failure.Unavailable("The gateway stops.", 1));
            closing.add(lane.sender.close());
            closing.add(lane.store.close());
        }
        return Future.join(closing).otherwiseEmpty().compose(_ -> producer.close());
    }
}
