package dev.muster.gateway;

import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Subscriptions in the table; each change raises the version in its own statement. */
final class SubscriptionStore {

    private static final String ADD =
            """
            WITH v AS (UPDATE gateway.subscription_version SET version = version + 1
                RETURNING version)
            INSERT INTO gateway.subscription
                (id, version, project, job, url, types, since, secret, created_at_ms)
            SELECT $1, v.version, $2, $3, $4, $5,
                COALESCE((SELECT jsonb_object_agg(pool, seq) FROM scheduler.pub_pool_head), '{}'),
                $6, $7
            FROM v
            WHERE $8 > (
                SELECT count(*) FROM gateway.subscription
                WHERE project = $2 AND job IS NOT DISTINCT FROM $3 AND NOT deleted)
            RETURNING id\
            """;

    private static final String ROTATE =
            """
            WITH v AS (UPDATE gateway.subscription_version SET version = version + 1
                RETURNING version)
            UPDATE gateway.subscription s
            SET version = v.version, old_secret = s.secret, old_until_ms = $3, secret = $2
            FROM v WHERE s.id = $1 AND NOT s.deleted
                AND ($4 OR s.old_secret IS NULL OR s.old_until_ms <= $5)
            RETURNING s.id\
            """;

    private static final String REMOVE =
            """
            WITH v AS (UPDATE gateway.subscription_version SET version = version + 1
                RETURNING version)
            UPDATE gateway.subscription s
            SET version = v.version, deleted = true, deleted_at = now(), secret = '',
                old_secret = NULL
            FROM v WHERE s.id = $1 AND NOT s.deleted
            RETURNING s.id\
            """;

    private static final String EXPIRE =
            """
            WITH old AS (
                SELECT s.id FROM gateway.subscription s JOIN gateway.job_view j ON j.job = s.job
                WHERE NOT s.deleted AND j.ended_at_ms < $1
                LIMIT $2
            ), numbered AS (
                SELECT id, row_number() OVER () AS n FROM old
            ), v AS (
                UPDATE gateway.subscription_version
                SET version = version + (SELECT count(*) FROM old)
                RETURNING version
            )
            UPDATE gateway.subscription s
            SET version = v.version - numbered.n + 1, deleted = true, deleted_at = now(),
                secret = '', old_secret = NULL
            FROM v, numbered WHERE s.id = numbered.id\
            """;

    private static final String FORGET =
            """
            DELETE FROM gateway.subscription WHERE id IN (
                SELECT id FROM gateway.subscription
                WHERE deleted AND deleted_at < now() - interval '7 days' LIMIT $1)\
            """;

    private static final String COLUMNS =
            "SELECT id, project, job, url, types, created_at_ms, old_until_ms FROM"
                    + " gateway.subscription WHERE NOT deleted";

    private final Database database;

    SubscriptionStore(Database database) {
        this.database = database;
    }

    /** What is stored of a new one. */
    record Fresh(
            UUID id,
            String project,
            @Nullable UUID job,
            String url,
            List<String> types,
            byte[] secret,
            long createdAtMillis) {}

    /** Whether there was room for one more of its project or job. */
    Future<Boolean> add(Fresh fresh, int atMost) {
        Tuple tuple =
                Tuple.of(fresh.id, fresh.project, fresh.job, fresh.url)
                        .addArrayOfString(fresh.types.toArray(String[]::new))
                        .addBuffer(Buffer.buffer(fresh.secret))
                        .addLong(fresh.createdAtMillis)
                        .addInteger(atMost);
        return database.query(ADD, tuple).map(rows -> rows.size() > 0);
    }

    /**
     * Whether it was done: not if there is no such subscription, nor while an earlier secret still
     * signs, unless the one in force is to end at once and that one with it.
     */
    Future<Boolean> rotate(UUID id, byte[] secret, long nowMillis, long graceMillis) {
        Tuple tuple =
                Tuple.of(
                        id,
                        Buffer.buffer(secret),
                        nowMillis + graceMillis,
                        graceMillis == 0,
                        nowMillis);
        return database.query(ROTATE, tuple).map(rows -> rows.size() > 0);
    }

    /** Whether there was such a subscription. */
    Future<Boolean> remove(UUID id) {
        return database.query(REMOVE, Tuple.of(id)).map(rows -> rows.size() > 0);
    }

    /** As users see it. */
    Future<Optional<JsonObject>> get(UUID id) {
        return database.query(COLUMNS + " AND id = $1", Tuple.of(id))
                .map(rows -> {
                    List<JsonObject> found = json(rows);
                    return found.isEmpty() ? Optional.empty() : Optional.of(found.getFirst());
                });
    }

    /** In order of creation. */
    Future<List<JsonObject>> list(
            @Nullable String project, @Nullable UUID job, @Nullable UUID after, int atMost) {
        String sql =
                COLUMNS
                        + " AND ($1::text IS NULL OR project = $1)"
                        + " AND ($2::uuid IS NULL OR job = $2)"
                        + " AND ($3::uuid IS NULL OR id > $3) ORDER BY id LIMIT $4";
        return database.query(sql, Tuple.of(project, job, after, atMost))
                .map(SubscriptionStore::json);
    }

    private static List<JsonObject> json(RowSet<Row> rows) {
        List<JsonObject> all = new ArrayList<>();
        for (Row row : rows) {
            JsonArray types = new JsonArray();
            for (String type : row.getArrayOfStrings("types")) {
                types.add(type);
            }
            JsonObject json =
                    new JsonObject()
                            .put("id", shown(row.getUUID("id")))
                            .put("project", row.getString("project"));
            if (row.getUUID("job") != null) {
                json.put("job", row.getUUID("job").toString());
            }
            json.put("url", row.getString("url"))
                    .put("events", types.isEmpty() ? new JsonArray().add(EventTypes.ALL) : types)
                    .put("createdAt", Answers.time(row.getLong("created_at_ms")));
            if (row.getLong("old_until_ms") != null) {
                json.put("oldSecretUntil", Answers.time(row.getLong("old_until_ms")));
            }
            all.add(json);
        }
        return all;
    }

    /** 32 hexadecimal digits. */
    static String shown(UUID id) {
        return id.toString().replace("-", "");
    }

    /** Empty for what cannot be an id. */
    static Optional<UUID> parse(String text) {
        if (!text.matches("[0-9a-f]{32}")) {
            return Optional.empty();
        }
        return Optional.of(
                new UUID(
                        Long.parseUnsignedLong(text.substring(0, 16), 16),
                        Long.parseUnsignedLong(text.substring(16), 16)));
    }

    /** Those of jobs that ended so long ago go, and what is left of those that went. */
    Future<Void> tidy(long endedBeforeMillis, int rows) {
        return database.query(EXPIRE, Tuple.of(endedBeforeMillis, rows))
                .compose(_ -> database.query(FORGET, Tuple.of(rows)))
                .mapEmpty();
    }
}
