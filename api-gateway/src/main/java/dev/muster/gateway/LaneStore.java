package dev.muster.gateway;

import dev.muster.domain.Command;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;
import dev.muster.domain.LaneId;
import dev.muster.domain.Message;
import dev.muster.domain.ProjectId;
import dev.muster.platform.codec.Codec;
import dev.muster.platform.codec.JobSpecJson;
import dev.muster.platform.kafka.LaneEntry;
import dev.muster.platform.sql.Database;
import dev.muster.platform.sql.Writer;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The rows of one lane. Writes go over one connection, each as one statement. */
final class LaneStore {

    private static final Logger LOG = LoggerFactory.getLogger(LaneStore.class);

    /**
     * Head of a lane.
     *
     * @param id short name of the lane in its rows
     * @param epoch of its owner
     * @param n last place that was given
     */
    record Head(int id, long epoch, long n) {}

    /** Another process took the lane over: this one may write nothing more. */
    static final class Fenced extends RuntimeException {
        private static final long serialVersionUID = 1;

        Fenced(LaneId lane) {
            super("another process took over the lane " + lane);
        }
    }

    private static final String EPOCH = "SELECT epoch FROM gateway.lane_head WHERE lane = $1";

    // Of the epoch that was read: a process that is gone may have sent this statement, and the
    // server
    // may come to it only after its successor took the lane.
    private static final String TAKE =
            """
            INSERT INTO gateway.lane_head AS h (lane, owner, epoch, n) VALUES ($1, $2, 1, 0)
            ON CONFLICT (lane) DO UPDATE SET epoch = h.epoch + 1, owner = excluded.owner
              WHERE h.epoch = $3
            RETURNING id, epoch, n\
            """;

    /** How often another one may take it between our look and our statement. */
    private static final int TAKES = 10;

    // A new epoch, so that a lost statement that still lies in the server's socket can do nothing.
    // By
    // owner, since the outcome of this statement may become unknown as well.
    private static final String RESOLVE =
            """
            UPDATE gateway.lane_head SET epoch = epoch + 1 WHERE lane = $1 AND owner = $2
            RETURNING id, epoch, n\
            """;

    private final Database database;
    private final Writer writer;
    private final LaneId lane;
    private final String pool;
    private final UUID owner;

    /**
     * @param owner of this process: a statement of an earlier try that the server runs late takes
     *     the lane for the same owner
     */
    LaneStore(Database database, LaneId lane, String pool, UUID owner) {
        this.owner = owner;
        this.database = database;
        this.writer = database.writer(lane.value());
        this.lane = lane;
        this.pool = pool;
    }

    /** Makes the lane ours: what an earlier owner still sends is refused from now on. */
    Future<Head> takeOver() {
        return takeOver(1);
    }

    private Future<Head> takeOver(int attempt) {
        return epoch().compose(this::take)
                .recover(cause ->
                        cause instanceof Fenced && attempt < TAKES
                                ? takeOver(attempt + 1)
                                : Future.failedFuture(cause));
    }

    /** Of the lane's owner, 0 before the first one. */
    Future<Long> epoch() {
        return writer.execute(EPOCH, Tuple.of(lane.value()))
                .map(rows -> {
                    long epoch = 0;
                    for (Row row : rows) {
                        epoch = row.getLong("epoch");
                    }
                    return epoch;
                });
    }

    /** Fails with {@link Fenced} where the lane's epoch is not any more what it was. */
    Future<Head> take(long epoch) {
        return writer.execute(TAKE, Tuple.of(lane.value(), owner, epoch)).map(this::head);
    }

    /**
     * After an unknown outcome: waits for the lost statement, keeps it from happening later, and
     * tells where the lane stands. Fails with {@link Fenced}.
     */
    Future<Head> resolve() {
        return writer.execute(RESOLVE, Tuple.of(lane.value(), owner)).map(this::head);
    }

    private Head head(RowSet<Row> rows) {
        for (Row row : rows) {
            return new Head(row.getInteger("id"), row.getLong("epoch"), row.getLong("n"));
        }
        throw new Fenced(lane);
    }

    /**
     * Places by id of the job; a job whose key was used before has none. Fails with {@link Fenced}.
     */
    Future<Map<String, Long>> accept(Head head, List<LaneItem.Submission> batch) {
        return writer.execute(AcceptStatement.SQL, AcceptStatement.parameters(head, pool, batch))
                .map(this::places);
    }

    /** Places by id of the command. Fails with {@link Fenced}. */
    Future<Map<String, Long>> intend(Head head, List<LaneItem.Intent> batch) {
        return writer.execute(IntentStatement.SQL, IntentStatement.parameters(head, batch))
                .map(rows -> {
                    if (rows.size() == 0) {
                        throw new Fenced(lane);
                    }
                    return inOrder(head, batch);
                });
    }

    /**
     * What became of a batch of unknown outcome, once the lane's head is known again: the places
     * that were given, or nothing.
     */
    Future<Map<String, Long>> given(Head before, long now, List<? extends LaneItem> batch) {
        if (now == before.n()) {
            return Future.succeededFuture(Map.of());
        }
        List<LaneItem.Intent> intents = new ArrayList<>();
        for (LaneItem each : batch) {
            if (each instanceof LaneItem.Intent intent) {
                intents.add(intent);
            }
        }
        if (!intents.isEmpty()) {
            return Future.succeededFuture(inOrder(before, intents));
        }
        return writer.execute(
                        "SELECT job, n FROM gateway.job_spec WHERE lane = $1 AND n > $2 AND n <="
                                + " $3",
                        Tuple.of(before.id(), before.n(), now))
                .map(this::places);
    }

    private static Map<String, Long> inOrder(Head before, List<LaneItem.Intent> batch) {
        Map<String, Long> places = HashMap.newHashMap(batch.size());
        long n = before.n();
        for (LaneItem.Intent each : batch) {
            places.put(each.id(), ++n);
        }
        return places;
    }

    /** One row without a job says that the epoch held and that no submission was new. */
    private Map<String, Long> places(RowSet<Row> rows) {
        if (rows.size() == 0) {
            throw new Fenced(lane);
        }
        Map<String, Long> places = HashMap.newHashMap(rows.size());
        for (Row row : rows) {
            UUID job = row.getUUID("job");
            if (job != null) {
                places.put(job.toString(), row.getLong("n"));
            }
        }
        return places;
    }

    /** Entries of the lane from {@code from} on, without gaps. */
    Future<List<LaneEntry>> read(Head head, long from, int atMost) {
        return database.query(
                        """
                        SELECT n, NULL AS type, job, project, accepted_at_ms, spec_hash, spec AS body
                        FROM gateway.job_spec WHERE lane = $1 AND n >= $2 AND n < $3
                        UNION ALL
                        SELECT n, type, NULL, NULL, 0, NULL, body
                        FROM gateway.intent WHERE lane = $1 AND n >= $2 AND n < $3
                        ORDER BY n\
                        """,
                        Tuple.of(head.id(), from, from + atMost))
                .map(rows -> {
                    List<LaneEntry> entries = new ArrayList<>(rows.size());
                    for (Row row : rows) {
                        entries.add(entry(row));
                    }
                    return entries;
                });
    }

    private LaneEntry entry(Row row) {
        long n = row.getLong("n");
        byte[] body = row.getBuffer("body").getBytes();
        String type = row.getString("type");
        if (type != null) {
            Message message = Codec.message(type, body).orThrow();
            return new LaneEntry(n, message, body);
        }
        JobId job = JobId.of(row.getUUID("job"));
        try {
            JobSpec spec = JobSpecJson.decode(body);
            String hash = HexFormat.of().formatHex(row.getBuffer("spec_hash").getBytes());
            return submission(
                    n,
                    new Command.SubmitJob(
                            spec.ask(job), spec.name(), hash, row.getLong("accepted_at_ms")),
                    body);
        } catch (IllegalArgumentException e) {
            // it must not block what stands behind it
            LOG.error("job {} on lane {} cannot be read back", job, lane, e);
            return LaneEntry.of(
                    n,
                    new Command.Unpublishable(
                            job,
                            new ProjectId(row.getString("project")),
                            "its stored specification cannot be read"));
        }
    }

    /** As it is published: with the specification beside what the scheduler takes. */
    static LaneEntry submission(long n, Command.SubmitJob command, byte[] canonical) {
        String spec = new String(canonical, StandardCharsets.UTF_8);
        return new LaneEntry(n, command, Codec.encode(command, spec));
    }

    /** What an earlier use of these keys led to, by key. */
    Future<Map<String, KeyUse>> keys(String project, List<String> keys) {
        return database.query(
                        """
                        SELECT key, job, spec_hash FROM gateway.idempotency
                        WHERE project = $1 AND key = ANY($2)\
                        """,
                        Tuple.of(project).addArrayOfString(keys.toArray(String[]::new)))
                .map(rows -> {
                    Map<String, KeyUse> uses = new HashMap<>();
                    for (Row row : rows) {
                        Buffer hash = row.getBuffer("spec_hash");
                        uses.put(
                                row.getString("key"),
                                new KeyUse(
                                        row.getUUID("job").toString(),
                                        HexFormat.of().formatHex(hash.getBytes())));
                    }
                    return uses;
                });
    }

    /** What a key was used for. */
    record KeyUse(String job, String specHash) {}

    Future<Void> close() {
        return writer.close();
    }
}
