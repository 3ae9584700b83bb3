package dev.muster.gateway;

import dev.muster.domain.PoolId;
import dev.muster.platform.config.Settings;

import io.vertx.core.Vertx;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Where events come in and are handed round: rings, streams, waiting commands, views. One context.
 */
final class EventHub {

    private final Vertx vertx;
    private final int ringEntries;
    private final long ringBytes;
    private final long stallNanos;
    private final CommandOutcomes outcomes;
    private final BiConsumer<PoolId, StreamEvent> views;
    private final Map<PoolId, EventRing> rings = new HashMap<>();
    private final Set<PoolId> announced = new HashSet<>();
    private final Set<Subscription> subscriptions = new LinkedHashSet<>();
    private final long timer;

    /**
     * @param views takes every event once per pool and seq
     */
    EventHub(
            Vertx vertx,
            Settings settings,
            CommandOutcomes outcomes,
            BiConsumer<PoolId, StreamEvent> views) {
        this.vertx = vertx;
        this.ringEntries = settings.get(GatewaySettings.RING_ENTRIES);
        this.ringBytes = settings.get(GatewaySettings.RING_BYTES);
        this.stallNanos = settings.get(GatewaySettings.STALL_MILLIS) * 1_000_000L;
        this.outcomes = outcomes;
        this.views = views;
        long heartbeatMillis = settings.get(GatewaySettings.HEARTBEAT_MILLIS);
        long watchMillis =
                Math.max(
                        10,
                        Math.min(heartbeatMillis, settings.get(GatewaySettings.STALL_MILLIS) / 4));
        long heartbeatNanos = heartbeatMillis * 1_000_000L;
        this.timer = vertx.setPeriodic(watchMillis, _ -> watch(heartbeatNanos));
    }

    void take(List<StreamEvent> events) {
        Set<PoolId> touched = new HashSet<>();
        for (StreamEvent event : events) {
            PoolId pool = event.record().pool();
            if (announced.add(pool)) {
                subscriptions.forEach(each -> each.poolAppeared(pool));
            }
            if (ring(pool).append(event)) {
                touched.add(pool);
                views.accept(pool, event);
                if (event.event() != null
                        && CommandOutcomes.TYPES.contains(event.record().type())) {
                    outcomes.seen(event.event());
                }
            }
        }
        for (Subscription each : List.copyOf(subscriptions)) {
            if (each.follows(touched)) {
                each.pump();
            }
        }
    }

    /** Empty for a pool of which nothing came yet. */
    EventRing ring(PoolId pool) {
        return rings.computeIfAbsent(pool, _ -> new EventRing(ringEntries, ringBytes));
    }

    void add(Subscription subscription) {
        subscriptions.add(subscription);
    }

    void remove(Subscription subscription) {
        subscriptions.remove(subscription);
    }

    int subscribers() {
        return subscriptions.size();
    }

    void later(long millis, Runnable work) {
        vertx.setTimer(millis, _ -> work.run());
    }

    private void watch(long heartbeatNanos) {
        long now = System.nanoTime();
        for (Subscription each : List.copyOf(subscriptions)) {
            each.watch(now, heartbeatNanos, stallNanos);
        }
    }

    /** Ends all streams; their clients resume elsewhere or later. */
    void close() {
        vertx.cancelTimer(timer);
        List.copyOf(subscriptions).forEach(Subscription::end);
    }
}
