package dev.muster.gateway;

import dev.muster.domain.PoolId;
import dev.muster.platform.run.ServiceContext;

import io.micrometer.core.instrument.Gauge;
import io.vertx.core.Future;

import java.util.HashMap;
import java.util.Map;

/** The views of all pools. On one context. */
final class Views {

    private final ServiceContext service;
    private final JournalReader journal;
    private final Map<PoolId, PoolView> pools = new HashMap<>();
    private final long timer;
    private boolean closed;

    Views(ServiceContext service, JournalReader journal) {
        this.service = service;
        this.journal = journal;
        int millis = service.settings().get(GatewaySettings.POOLS_MILLIS);
        this.timer = service.vertx().setPeriodic(millis, _ -> openMissing());
        openMissing();
    }

    private void openMissing() {
        service.pools().all().keySet().forEach(this::pool);
    }

    void offer(PoolId pool, StreamEvent event) {
        if (!closed) {
            pool(pool).offer(event);
        }
    }

    private PoolView pool(PoolId pool) {
        return pools.computeIfAbsent(pool, this::open);
    }

    private PoolView open(PoolId pool) {
        int leaseMillis = service.settings().get(GatewaySettings.VIEW_LEASE_MILLIS);
        ViewStore store = new ViewStore(service.database(), pool, service.serviceId(), leaseMillis);
        PoolView view = new PoolView(service.vertx(), pool, store, journal, service.settings());
        Gauge.builder("muster.gateway.view.lag", view, PoolView::lag)
                .description("Events that are not folded into the views yet")
                .tag("pool", pool.value())
                .register(service.meters());
        return view;
    }

    Future<Void> stop() {
        closed = true;
        service.vertx().cancelTimer(timer);
        return Future.join(pools.values().stream().map(PoolView::close).toList()).mapEmpty();
    }
}
