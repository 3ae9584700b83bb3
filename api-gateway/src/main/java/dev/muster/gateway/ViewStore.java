package dev.muster.gateway;

import dev.muster.domain.JobId;
import dev.muster.domain.NodeId;
import dev.muster.domain.NodeShape;
import dev.muster.domain.PoolId;
import dev.muster.domain.WaitReason;
import dev.muster.platform.sql.Database;
import dev.muster.platform.sql.Writer;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** The views' rows of a pool: changes and position in one statement. */
final class ViewStore {

    private static final String TAKE =
            """
            INSERT INTO gateway.view_position AS p (pool, seq, holder, lease_until)
            VALUES ($1, 0, $2, clock_timestamp() + $3 * interval '1 ms')
            ON CONFLICT (pool) DO UPDATE
            SET holder = excluded.holder, lease_until = excluded.lease_until
            WHERE p.holder = excluded.holder OR p.lease_until < clock_timestamp()
            RETURNING seq\
            """;

    private static final String APPLY =
            """
            WITH moved AS (
                UPDATE gateway.view_position
                SET seq = $3, lease_until = clock_timestamp() + $5 * interval '1 ms'
                WHERE pool = $1 AND seq = $2 AND holder = $4
                RETURNING pool
            ), jobs AS (
                UPDATE gateway.job_view v
                SET state = CASE WHEN c.keeps_restarting AND v.state = 'RESTARTING'
                        THEN v.state ELSE COALESCE(c.state, v.state) END,
                    reason_code = COALESCE(c.reason_code, v.reason_code),
                    reason = COALESCE(c.reason, v.reason),
                    attempt = COALESCE(c.attempt, v.attempt),
                    started_at_ms = COALESCE(v.started_at_ms, c.started_at_ms),
                    ended_at_ms = COALESCE(c.ended_at_ms, v.ended_at_ms),
                    cause = COALESCE(c.cause, v.cause),
                    message = COALESCE(c.message, v.message),
                    runs = CASE WHEN v.runs[cardinality(v.runs)] + 64 > c.last_seq THEN v.runs
                        ELSE v.runs || c.runs::bigint[] END
                FROM moved, unnest(
                    $6::uuid[], $7::text[], $8::text[], $9::text[], $10::int[], $11::bigint[],
                    $12::bigint[], $13::text[], $14::text[], $15::text[], $16::bigint[],
                    $21::boolean[])
                    AS c(job, state, reason_code, reason, attempt, started_at_ms, ended_at_ms,
                        cause, message, runs, last_seq, keeps_restarting)
                WHERE v.job = c.job
            ), granted AS (
                INSERT INTO gateway.grant_view (job, pool, attempt, nodes)
                SELECT g.job, moved.pool, g.attempt, string_to_array(g.nodes, ',')
                FROM moved, unnest($17::uuid[], $18::int[], $19::text[]) AS g(job, attempt, nodes)
                ON CONFLICT (job) DO UPDATE
                SET attempt = excluded.attempt, nodes = excluded.nodes
            ), released AS (
                DELETE FROM gateway.grant_view g USING moved WHERE g.job = ANY($20::uuid[])
            )
            SELECT pool FROM moved\
            """;

    private static final String NODE =
            """
            INSERT INTO gateway.node_view AS v
                (pool, node, cpu_millis, memory_mebibytes, accelerator, devices, supernode, ready,
                 cordoned)
            VALUES ($1, $2, $3, $4, $5, $6, $7, COALESCE($8, false), COALESCE($9, false))
            ON CONFLICT (pool, node) DO UPDATE
            SET cpu_millis = excluded.cpu_millis, memory_mebibytes = excluded.memory_mebibytes,
                accelerator = excluded.accelerator, devices = excluded.devices,
                supernode = excluded.supernode, ready = COALESCE($8, v.ready),
                cordoned = COALESCE($9, v.cordoned)\
            """;

    private static final String NODE_FLAGS =
            """
            UPDATE gateway.node_view
            SET ready = COALESCE($3, ready), cordoned = COALESCE($4, cordoned)
            WHERE pool = $1 AND node = $2\
            """;

    private final Writer writer;
    private final IncidentStore incidents;
    private final PoolId pool;
    private final String holder;
    private final int leaseMillis;

    ViewStore(Database database, PoolId pool, String holder, int leaseMillis) {
        this.writer = database.writer("views of " + pool);
        this.incidents = new IncidentStore(writer);
        this.pool = pool;
        this.holder = holder;
        this.leaseMillis = leaseMillis;
    }

    /** The position if this gateway writes the pool's views, or −1 if another one does. */
    Future<Long> take() {
        return writer.execute(TAKE, Tuple.of(pool.value(), holder, leaseMillis))
                .map(rows -> {
                    for (Row row : rows) {
                        return row.getLong("seq");
                    }
                    return -1L;
                });
    }

    /**
     * Nodes and incidents first, which may be repeated, then jobs and position at once.
     *
     * @return whether the position was where it was believed to be
     */
    Future<Boolean> apply(long from, long to, ViewChanges changes) {
        Future<Void> nodes = Future.succeededFuture();
        for (Map.Entry<NodeId, ViewChanges.NodeChange> each : changes.nodes().entrySet()) {
            nodes = nodes.compose(_ -> node(each.getKey(), each.getValue()));
        }
        return nodes.compose(_ -> incidents.apply(changes.incidents()))
                .compose(_ -> writer.execute(APPLY, parameters(from, to, changes)))
                .map(rows -> rows.size() > 0);
    }

    private Future<Void> node(NodeId node, ViewChanges.NodeChange change) {
        NodeShape shape = change.shape;
        if (shape == null) {
            return writer.execute(
                            NODE_FLAGS,
                            Tuple.of(pool.value(), node.value(), change.ready, change.cordoned))
                    .mapEmpty();
        }
        return writer.execute(
                        NODE,
                        Tuple.of(pool.value(), node.value(), shape.cpuMillis())
                                .addInteger(shape.memoryMebibytes())
                                .addString(shape.accelerator())
                                .addInteger(shape.devices())
                                .addString(shape.supernode())
                                .addBoolean(change.ready)
                                .addBoolean(change.cordoned))
                .mapEmpty();
    }

    private Tuple parameters(long from, long to, ViewChanges changes) {
        Tuple tuple =
                Tuple.of(pool.value(), from, to, holder, leaseMillis)
                        .addArrayOfUUID(uuids(List.copyOf(changes.jobs().keySet())));
        addJobs(tuple, List.copyOf(changes.jobs().values()));
        List<UUID> granted = new ArrayList<>();
        List<Integer> attempts = new ArrayList<>();
        List<String> nodes = new ArrayList<>();
        changes.granted()
                .forEach((job, grant) -> {
                    granted.add(job.uuid());
                    attempts.add(grant.attempt());
                    nodes.add(String.join(",", grant.nodes()));
                });
        return tuple.addArrayOfUUID(granted.toArray(UUID[]::new))
                .addArrayOfInteger(attempts.toArray(Integer[]::new))
                .addArrayOfString(nodes.toArray(String[]::new))
                .addArrayOfUUID(uuids(List.copyOf(changes.released())))
                .addArrayOfBoolean(
                        changes.jobs().values().stream()
                                .map(ViewChanges.JobChange::keepsRestarting)
                                .toArray(Boolean[]::new));
    }

    private static void addJobs(Tuple tuple, List<ViewChanges.JobChange> jobs) {
        int size = jobs.size();
        String[] states = new String[size];
        String[] codes = new String[size];
        String[] reasons = new String[size];
        Integer[] attempts = new Integer[size];
        Long[] started = new Long[size];
        Long[] ended = new Long[size];
        String[] causes = new String[size];
        String[] messages = new String[size];
        String[] runs = new String[size];
        Long[] last = new Long[size];
        for (int i = 0; i < size; i++) {
            ViewChanges.JobChange job = jobs.get(i);
            WaitReason reason = job.reason;
            states[i] = job.state == null ? null : job.state.name();
            if (reason != null) {
                boolean none = reason.code() == WaitReason.Code.AWAITS_CYCLE;
                codes[i] = none ? "" : reason.code().name();
                reasons[i] = none ? "" : reason.sentence();
            }
            attempts[i] = job.attempt;
            started[i] = job.startedAtMillis;
            ended[i] = job.endedAtMillis;
            causes[i] = job.cause;
            messages[i] = job.message;
            runs[i] =
                    job.runs.stream()
                            .map(String::valueOf)
                            .collect(Collectors.joining(",", "{", "}"));
            last[i] = job.lastSeq;
        }
        tuple.addArrayOfString(states)
                .addArrayOfString(codes)
                .addArrayOfString(reasons)
                .addArrayOfInteger(attempts)
                .addArrayOfLong(started)
                .addArrayOfLong(ended)
                .addArrayOfString(causes)
                .addArrayOfString(messages)
                .addArrayOfString(runs)
                .addArrayOfLong(last);
    }

    private static UUID[] uuids(List<JobId> jobs) {
        return jobs.stream().map(JobId::uuid).toArray(UUID[]::new);
    }

    Future<Void> close() {
        return writer.close();
    }
}
