package dev.muster.notifier;

import dev.muster.domain.PoolId;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.run.ServiceContext;
import dev.muster.platform.sql.Writer;

import io.micrometer.core.instrument.Gauge;
import io.vertx.core.Future;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The feeds of all pools. On one context. */
final class Feeds {

    private final ServiceContext service;
    private final PoolFeed.Parts parts;
    private final Writer writer;
    private final Map<PoolId, PoolFeed> pools = new HashMap<>();
    private final long timer;
    private boolean closed;

    Feeds(ServiceContext service, PoolFeed.Parts parts, Writer writer) {
        this.service = service;
        this.parts = parts;
        this.writer = writer;
        int millis = service.settings().get(NotifierSettings.POOLS_MILLIS);
        this.timer = service.vertx().setPeriodic(millis, _ -> openMissing());
        openMissing();
    }

    private void openMissing() {
        service.pools().all().keySet().forEach(this::feed);
    }

    void offer(List<EventRecord> events) {
        if (!closed) {
            events.forEach(each -> feed(each.pool()).offer(each));
        }
    }

    private PoolFeed feed(PoolId pool) {
        return pools.computeIfAbsent(pool, this::open);
    }

    private PoolFeed open(PoolId pool) {
        int leaseMillis = service.settings().get(NotifierSettings.LEASE_MILLIS);
        FeedStore store = new FeedStore(writer, pool, service.serviceId(), leaseMillis);
        PoolFeed feed = new PoolFeed(parts, pool, store);
        Gauge.builder("muster.notifier.feed.lag", feed, PoolFeed::lag)
                .description("Events that are no deliveries yet")
                .tag("pool", pool.value())
                .register(service.meters());
        return feed;
    }

    /** Where others fold, held mailboxes look into the table for news. */
    void lookAround() {
        for (PoolFeed each : pools.values()) {
            if (each.elsewhere()) {
                parts.mailboxes().newsOf(each.pool().value());
            }
        }
    }

    Future<Void> stop() {
        closed = true;
        service.vertx().cancelTimer(timer);
        pools.values().forEach(PoolFeed::close);
        return Future.succeededFuture();
    }
}
