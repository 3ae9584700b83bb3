package dev.muster.gateway;

import dev.muster.domain.Failure;
import dev.muster.domain.JobId;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.Violation;
import dev.muster.platform.codec.Codec;
import dev.muster.platform.http.FailureException;
import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** {@code GET /api/v1/events}: server-sent events of some or all pools, resumable by cursor. */
final class EventsEndpoint {

    private final ServiceContext service;
    private final EventHub hub;
    private final JournalReader journal;
    private final JobViews views;

    EventsEndpoint(ServiceContext service, EventHub hub, JournalReader journal, JobViews views) {
        this.service = service;
        this.hub = hub;
        this.journal = journal;
        this.views = views;
    }

    /**
     * A subscription as it was asked for.
     *
     * @param after null: from now on
     * @param beginning from the first event of every pool on
     */
    private record Wish(
            Set<PoolId> pools,
            boolean everyPool,
            @Nullable ProjectId project,
            @Nullable JobId job,
            Set<String> types,
            @Nullable Map<PoolId, Long> after,
            boolean beginning) {}

    void handle(RoutingContext rc) {
        HttpServerRequest request = rc.request();
        Wish wish = wish(request);
        if (hub.subscribers() >= service.settings().get(GatewaySettings.SUBSCRIBERS)) {
            throw new FailureException(
                    new Failure.Overloaded(hub.subscribers() + " streams are open already.", 5));
        }
        positions(wish).onSuccess(positions -> start(request, wish, positions)).onFailure(rc::fail);
    }

    private void start(HttpServerRequest request, Wish wish, Map<PoolId, Long> positions) {
        if (request.response().closed()) {
            return;
        }
        Subscription.Filter filter =
                new Subscription.Filter(
                        wish.project() == null ? null : wish.project().value(),
                        wish.job() == null ? null : wish.job().toString(),
                        wish.types(),
                        wish.everyPool());
        new Subscription(hub, journal, request, filter, positions)
                .start(service.settings().get(GatewaySettings.SUBSCRIBER_BYTES));
    }

    private Wish wish(HttpServerRequest request) {
        Query query = Query.of(request, "pool", "project", "job", "type", "after");
        Set<PoolId> known = service.pools().all().keySet();
        Set<PoolId> pools =
                new TreeSet<>(query.values("pool", text -> known(text, known), "a pool's name"));
        Set<String> eventTypes = Codec.eventTypes();
        Set<String> types =
                Set.copyOf(
                        query.values(
                                "type", text -> knownType(text, eventTypes), "an event's name"));
        String header = request.getHeader("Last-Event-ID");
        String text = header == null || header.isEmpty() ? query.text("after") : header;
        boolean beginning = "0".equals(text);
        Map<PoolId, Long> after = null;
        if (text != null && !beginning) {
            after =
                    header == null || header.isEmpty()
                            ? query.value("after", Cursor::parse, Cursor.FORM)
                            : headerCursor(header);
        }
        Wish wish =
                new Wish(
                        pools.isEmpty() ? known : pools,
                        pools.isEmpty(),
                        query.value("project", ProjectId::new, "a project's name"),
                        query.value("job", JobId::parse, "a job's id"),
                        types,
                        after,
                        beginning);
        query.check();
        if (wish.pools().size() > Cursor.MAX_POOLS) {
            throw new FailureException(
                    new Failure.Invalid(
                            List.of(
                                    Violation.of(
                                            "pool",
                                            wish.pools().size(),
                                            "a stream has too many pools",
                                            "at most " + Cursor.MAX_POOLS))));
        }
        return wish;
    }

    private static Map<PoolId, Long> headerCursor(String header) {
        try {
            return Cursor.parse(header);
        } catch (IllegalArgumentException e) {
            throw new FailureException(
                    new Failure.Invalid(
                            List.of(
                                    Violation.of(
                                            "Last-Event-ID",
                                            header,
                                            "is malformed",
                                            Cursor.FORM))));
        }
    }

    private static PoolId known(String text, Set<PoolId> pools) {
        PoolId pool = new PoolId(text);
        if (!pools.contains(pool)) {
            throw new IllegalArgumentException("no such pool");
        }
        return pool;
    }

    private static String knownType(String text, Set<String> types) {
        if (!types.contains(text)) {
            throw new IllegalArgumentException("no such type");
        }
        return text;
    }

    private Future<Map<PoolId, Long>> positions(Wish wish) {
        Future<Map<PoolId, Long>> asked = askedPositions(wish);
        JobId job = wish.job();
        if (job == null) {
            return asked;
        }
        // nothing of the job lies before its first event, so the stream need not look there
        return asked.compose(positions ->
                views.firstEvent(job)
                        .map(first -> {
                            positions.keySet().retainAll(Set.of(first.pool()));
                            positions.computeIfPresent(
                                    first.pool(), (_, seq) -> Math.max(seq, first.seq() - 1));
                            return positions;
                        }));
    }

    private Future<Map<PoolId, Long>> askedPositions(Wish wish) {
        Map<PoolId, Long> positions = new TreeMap<>();
        List<Future<Void>> asked = new ArrayList<>();
        Map<PoolId, Long> after = wish.after();
        for (PoolId pool : wish.pools()) {
            Long given = after == null ? null : after.get(pool);
            if (wish.beginning()) {
                positions.put(pool, 0L);
            } else if (given != null) {
                positions.put(pool, given);
            } else {
                // by the journal, not by what has come here: "now" is the same at every gateway
                asked.add(
                        journal.head(pool)
                                .otherwise(0L) // no scheduler has ever run here
                                .map(seq -> {
                                    positions.put(pool, Math.max(seq, hub.ring(pool).last()));
                                    return null;
                                }));
            }
        }
        return Future.all(asked).map(_ -> positions);
    }
}
