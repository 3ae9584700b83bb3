package dev.muster.notifier;

import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.secret.SecretBox;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * All subscriptions, as the gateway publishes them. Each change there has a version that rises in
 * the order of commits, so that only what changed is read. On one context.
 */
final class Subscriptions {

    private static final Logger LOG = LoggerFactory.getLogger(Subscriptions.class);
    private static final int PAGE_ROWS = 2_000;

    private static final String CHANGES =
            """
            SELECT v.version AS latest, s.*
            FROM gateway.pub_subscription_version v
            LEFT JOIN LATERAL (
                SELECT * FROM gateway.pub_subscription WHERE version > $1
                ORDER BY version LIMIT $2) s ON true\
            """;

    private final Database database;
    private final SecretBox secrets;
    private final Map<UUID, Subscription> byId = new HashMap<>();
    private final Map<String, Map<UUID, Subscription>> byProject = new HashMap<>();
    private final Map<String, Map<UUID, Subscription>> byJob = new HashMap<>();
    private BiConsumer<UUID, @Nullable Subscription> listener = (_, _) -> {};
    private long version;
    private @Nullable Future<Void> running;
    private @Nullable Future<Void> next;

    Subscriptions(Database database, SecretBox secrets) {
        this.database = database;
        this.secrets = secrets;
    }

    /** Is told of each that changed; null for one that was deleted. */
    void listen(BiConsumer<UUID, @Nullable Subscription> to) {
        listener = to;
    }

    @Nullable Subscription get(UUID id) {
        return byId.get(id);
    }

    /** Those that an event is for. */
    List<Subscription> of(EventRecord event) {
        List<Subscription> all = new ArrayList<>();
        collect(byProject.get(event.project()), event, all);
        collect(byJob.get(event.job()), event, all);
        return all;
    }

    private static void collect(
            @Nullable Map<UUID, Subscription> some, EventRecord event, List<Subscription> all) {
        if (some != null) {
            for (Subscription each : some.values()) {
                if (each.scope().takes(event)) {
                    all.add(each);
                }
            }
        }
    }

    /** After it, all is known that was committed before the call. */
    Future<Void> refresh() {
        Future<Void> before = running;
        if (before == null) {
            return begin();
        }
        // the one under way may have looked before the caller's time; the next serves all callers
        Future<Void> waiting = next;
        if (waiting == null) {
            waiting =
                    before.transform(_ -> {
                        next = null;
                        return begin();
                    });
            next = waiting;
        }
        return waiting;
    }

    private Future<Void> begin() {
        Promise<Void> over = Promise.promise();
        running = over.future();
        read().onComplete(done -> {
            running = null;
            over.handle(done);
        });
        return over.future();
    }

    private Future<Void> read() {
        return database.query(CHANGES, Tuple.of(version, PAGE_ROWS))
                .compose(rows -> take(rows) ? read() : Future.succeededFuture());
    }

    /** Whether there may be more. */
    private boolean take(RowSet<Row> rows) {
        for (Row row : rows) {
            UUID id = row.getUUID("id");
            if (id != null) {
                version = row.getLong("version");
                put(id, row.getBoolean("deleted") ? null : subscription(id, row));
            } else {
                version = Math.max(version, row.getLong("latest"));
            }
        }
        return rows.size() == PAGE_ROWS;
    }

    private void put(UUID id, @Nullable Subscription now) {
        Subscription before = byId.remove(id);
        if (before != null) {
            index(before).remove(id);
            drop(before);
        }
        if (now != null) {
            byId.put(id, now);
            index(now).put(id, now);
        }
        listener.accept(id, now);
    }

    private Map<UUID, Subscription> index(Subscription of) {
        String job = of.scope().job();
        return job == null
                ? byProject.computeIfAbsent(of.scope().project(), _ -> new LinkedHashMap<>())
                : byJob.computeIfAbsent(job, _ -> new LinkedHashMap<>());
    }

    private void drop(Subscription gone) {
        if (index(gone).isEmpty()) {
            byProject.remove(gone.scope().project(), Map.of());
            String job = gone.scope().job();
            if (job != null) {
                byJob.remove(job);
            }
        }
    }

    /** Null for one that cannot be served, which is said once. */
    private @Nullable Subscription subscription(UUID id, Row row) {
        try {
            UUID job = row.getUUID("job");
            Map<String, Long> since = new HashMap<>();
            row.getJsonObject("since")
                    .forEach(pool ->
                            since.put(pool.getKey(), ((Number) pool.getValue()).longValue()));
            Subscription.Scope scope =
                    new Subscription.Scope(
                            row.getString("project"),
                            job == null ? null : job.toString(),
                            Set.of(row.getArrayOfStrings("types")),
                            since);
            return new Subscription(id, scope, Endpoint.of(row.getString("url")), keys(id, row));
        } catch (IllegalArgumentException e) {
            LOG.error("the subscription {} cannot be served: {}", id, e.getMessage());
            return null;
        }
    }

    private List<Subscription.Key> keys(UUID id, Row row) {
        List<Subscription.Key> keys = new ArrayList<>();
        keys.add(key(id, row.getBuffer("secret").getBytes(), Long.MAX_VALUE));
        if (row.getBuffer("old_secret") != null) {
            keys.add(key(id, row.getBuffer("old_secret").getBytes(), row.getLong("old_until_ms")));
        }
        return keys;
    }

    private Subscription.Key key(UUID id, byte[] sealed, long untilMillis) {
        return new Subscription.Key(new Signer(secrets.open(sealed, id.toString())), untilMillis);
    }

    int size() {
        return byId.size();
    }
}
