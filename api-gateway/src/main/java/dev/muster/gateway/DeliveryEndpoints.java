package dev.muster.gateway;

import dev.muster.domain.Failure;
import dev.muster.domain.JobId;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.Violation;
import dev.muster.platform.http.FailureException;
import dev.muster.platform.sql.Database;
import dev.muster.platform.sql.StatementFailed;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** Deliveries as users see them, from what the notifier publishes. */
final class DeliveryEndpoints {

    private static final int DEFAULT_LIMIT = 50;
    private static final int MAX_LIMIT = 500;
    private static final String UNDEFINED_TABLE = "42P01";
    private static final int RETRY_SECONDS = 5;

    /** By the numbers that the notifier's view has. */
    enum State {
        PENDING(0),
        DELIVERED(1),
        DEAD(2);

        private final short number;

        State(int number) {
            this.number = (short) number;
        }

        static State of(short number) {
            for (State each : values()) {
                if (each.number == number) {
                    return each;
                }
            }
            throw new IllegalArgumentException("no state has the number " + number);
        }
    }

    /** Names a delivery: {@code pool-seq-subscription}. */
    private record Id(String pool, long seq, UUID subscription) {

        static Optional<Id> parse(String text) {
            int second = text.lastIndexOf('-');
            int first = second < 0 ? -1 : text.lastIndexOf('-', second - 1);
            if (first < 1) {
                return Optional.empty();
            }
            try {
                PoolId pool = new PoolId(text.substring(0, first));
                long seq = Long.parseUnsignedLong(text.substring(first + 1, second));
                return SubscriptionStore.parse(text.substring(second + 1))
                        .map(subscription -> new Id(pool.value(), seq, subscription));
            } catch (IllegalArgumentException _) {
                return Optional.empty();
            }
        }
    }

    /** Where a page ends: the order of the list as one value. */
    private record Place(long atMillis, int mailbox, long seq) {

        static Place parse(String text) {
            String[] parts = text.split("\\.", -1);
            if (parts.length != 3) {
                throw new IllegalArgumentException("a place has 3 parts");
            }
            return new Place(
                    Long.parseLong(parts[0]), Integer.parseInt(parts[1]), Long.parseLong(parts[2]));
        }

        static String of(Row row) {
            return row.getLong("at_ms")
                    + "."
                    + row.getInteger("mailbox")
                    + "."
                    + row.getLong("seq");
        }
    }

    private final Database database;
    private final NotifierCalls notifier;

    DeliveryEndpoints(Database database, NotifierCalls notifier) {
        this.database = database;
        this.notifier = notifier;
    }

    void mount(Router router) {
        router.get("/api/v1/deliveries").handler(this::list);
        router.get("/api/v1/deliveries/:id").handler(this::get);
        router.post("/api/v1/deliveries/:id/retry").handler(this::retry);
    }

    private void list(RoutingContext rc) {
        Query query =
                Query.of(rc.request(), "project", "subscription", "job", "state", "limit", "after");
        ProjectId project = query.value("project", ProjectId::new, "a project's name");
        UUID subscription =
                query.value(
                        "subscription",
                        text ->
                                SubscriptionStore.parse(text)
                                        .orElseThrow(IllegalArgumentException::new),
                        "a subscription's id");
        JobId job = query.value("job", JobId::parse, "a job's id");
        State state =
                query.value(
                        "state",
                        text -> State.valueOf(text.toUpperCase(Locale.ROOT)),
                        "one of " + List.of(State.values()));
        Place after = query.value("after", Place::parse, "the next of an earlier answer");
        int limit = (int) query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
        query.check();
        Search search = new Search();
        search.equal("d.state", state == null ? null : state.number);
        if (after != null) {
            search.before(after);
        }
        if (job != null) {
            search.equal("d.job", job.uuid());
        }
        String table = state == State.DEAD ? "notifier.pub_dead_letter" : "notifier.pub_delivery";
        String sql =
                job == null
                        ? search.ofMailboxes(table, project, subscription, limit + 1)
                        : search.ofJob(table, project, subscription, limit + 1);
        query(sql, Tuple.tuple(search.values))
                .onSuccess(rows -> Answers.json(rc, 200, page(rows, limit)))
                .onFailure(rc::fail);
    }

    /** Conditions and their values. */
    private static final class Search {
        private static final String ORDER = " ORDER BY d.at_ms DESC, d.mailbox DESC, d.seq DESC";

        private final List<Object> values = new ArrayList<>();
        private final StringBuilder where = new StringBuilder();

        void equal(String column, @Nullable Object value) {
            if (value != null) {
                where.append(" AND ").append(column).append(" = ").append(parameter(value));
            }
        }

        void before(Place place) {
            where.append(
                    " AND (d.at_ms, d.mailbox, d.seq) < (%s, %s, %s)"
                            .formatted(
                                    parameter(place.atMillis),
                                    parameter(place.mailbox),
                                    parameter(place.seq)));
        }

        private String parameter(Object value) {
            values.add(value);
            return "$" + values.size();
        }

        /** The latest of each mailbox by its key, then the latest of those. */
        String ofMailboxes(
                String table, @Nullable ProjectId project, @Nullable UUID subscription, int limit) {
            String inner = where.toString();
            StringBuilder outer = new StringBuilder("true");
            if (project != null) {
                outer.append(" AND s.project = ").append(parameter(project.value()));
            }
            if (subscription != null) {
                outer.append(" AND s.id = ").append(parameter(subscription));
            }
            String atMost = parameter(limit);
            return """
            SELECT d.* FROM gateway.subscription s
            JOIN notifier.pub_mailbox b ON b.subscription = s.id, LATERAL (
                SELECT * FROM %s d WHERE d.mailbox = b.id%s ORDER BY d.seq DESC LIMIT %s) d
            WHERE NOT s.deleted AND %s\
            """
                            .formatted(table, inner, atMost, outer)
                    + ORDER
                    + " LIMIT "
                    + atMost;
        }

        String ofJob(
                String table, @Nullable ProjectId project, @Nullable UUID subscription, int limit) {
            equal("d.project", project == null ? null : project.value());
            equal("d.subscription", subscription);
            return "SELECT d.* FROM %s d WHERE true%s".formatted(table, where)
                    + ORDER
                    + " LIMIT "
                    + parameter(limit);
        }
    }

    private Future<RowSet<Row>> query(String sql, Tuple tuple) {
        return database.query(sql, tuple)
                .recover(cause ->
                        Future.failedFuture(
                                cause instanceof StatementFailed failed
                                                && failed.sqlState().equals(UNDEFINED_TABLE)
                                        ? new FailureException(
                                                new Failure.Unavailable(
                                                        "No notifier has run yet.", RETRY_SECONDS))
                                        : cause));
    }

    private static JsonObject page(RowSet<Row> rows, int limit) {
        JsonArray items = new JsonArray();
        JsonObject page = new JsonObject().put("items", items);
        String last = "";
        for (Row row : rows) {
            if (items.size() == limit) {
                page.put("next", last);
                break;
            }
            items.add(json(row));
            last = Place.of(row);
        }
        return page;
    }

    private static JsonObject json(Row row) {
        String eventId = row.getString("pool") + "-" + row.getLong("seq");
        String subscription = SubscriptionStore.shown(row.getUUID("subscription"));
        JsonObject json =
                new JsonObject()
                        .put("id", eventId + "-" + subscription)
                        .put("subscription", subscription)
                        .put("project", row.getString("project"))
                        .put("job", row.getUUID("job").toString())
                        .put("event", row.getString("type"))
                        .put("eventId", eventId)
                        .put("at", Answers.time(row.getLong("at_ms")))
                        .put("state", State.of(row.getShort("state")).name())
                        .put("attempts", row.getShort("attempts"));
        if (row.getShort("status") > 0) {
            json.put("status", row.getShort("status"));
        }
        if (!row.getString("error").isEmpty()) {
            json.put("error", row.getString("error"));
        }
        if (row.getLong("due_ms") > 0) {
            json.put("dueAt", Answers.time(row.getLong("due_ms")));
        }
        if (row.getLong("ended_ms") > 0) {
            json.put("endedAt", Answers.time(row.getLong("ended_ms")));
        }
        return json;
    }

    private void get(RoutingContext rc) {
        Id id = id(rc);
        query(
                        """
                        SELECT d.*, m.body FROM notifier.pub_mailbox b
                        JOIN notifier.pub_delivery d ON d.mailbox = b.id
                        JOIN notifier.pub_message m ON m.pool = d.pool AND m.seq = d.seq
                        WHERE b.subscription = $1 AND b.pool = $2 AND d.seq = $3\
                        """,
                        Tuple.of(id.subscription, id.pool, id.seq))
                .onSuccess(rows -> {
                    for (Row row : rows) {
                        JsonObject body = row.getBuffer("body").toJsonObject();
                        Answers.json(rc, 200, json(row).put("body", body));
                        return;
                    }
                    rc.fail(noDelivery(rc));
                })
                .onFailure(rc::fail);
    }

    private static Id id(RoutingContext rc) {
        return Id.parse(rc.pathParam("id")).orElseThrow(() -> noDelivery(rc));
    }

    private static FailureException noDelivery(RoutingContext rc) {
        String shown = Violation.of("", rc.pathParam("id"), "", "").value();
        return new FailureException(new Failure.NotFound("There is no delivery " + shown + "."));
    }

    private void retry(RoutingContext rc) {
        Id id = id(rc);
        String name = id.pool + "-" + id.seq + "-" + SubscriptionStore.shown(id.subscription);
        notifier.post("/internal/v1/deliveries/" + name + "/retry")
                .onSuccess(body -> Answers.json(rc.response(), 200, body))
                .onFailure(rc::fail);
    }
}
