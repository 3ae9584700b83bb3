package dev.muster.gateway;

import dev.muster.domain.Failure;
import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.PoolId;
import dev.muster.platform.http.FailureException;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Reads what the views hold of jobs. */
final class JobViews {

    private static final String COLUMNS =
            """
            SELECT job, pool, project, queue, name, priority, instances, state,
                reason_code, reason, cause, message, attempt, submitted_at_ms, started_at_ms, ended_at_ms, runs
            FROM gateway.job_view\
            """;

    /** Which jobs are listed; null and empty mean any. */
    record Filter(
            @Nullable String project,
            @Nullable String pool,
            @Nullable String namePrefix,
            List<JobState> states) {}

    /** A job as the view has it. */
    record JobRow(Row row) {

        JobId id() {
            return JobId.of(row.getUUID("job"));
        }

        String pool() {
            return row.getString("pool");
        }

        JobState state() {
            return JobState.valueOf(row.getString("state"));
        }

        int attempt() {
            return row.getInteger("attempt");
        }

        Long[] runs() {
            return row.getArrayOfLongs("runs");
        }

        JsonObject json() {
            JsonObject json =
                    new JsonObject()
                            .put("id", id().toString())
                            .put("name", row.getString("name"))
                            .put("project", row.getString("project"))
                            .put("pool", pool())
                            .put("queue", row.getString("queue"))
                            .put("priority", row.getInteger("priority"))
                            .put("instances", row.getInteger("instances"))
                            .put("state", row.getString("state"))
                            .put("attempt", attempt())
                            .put("submittedAt", Answers.time(row.getLong("submitted_at_ms")));
            optional(json, "startedAt", Answers.time(row.getLong("started_at_ms")));
            optional(json, "endedAt", Answers.time(row.getLong("ended_at_ms")));
            if (!row.getString("reason_code").isEmpty()) {
                json.put(
                        "reason",
                        new JsonObject()
                                .put("code", row.getString("reason_code"))
                                .put("message", row.getString("reason")));
            }
            optional(json, "cause", row.getString("cause"));
            optional(json, "message", row.getString("message"));
            return json;
        }

        private static void optional(JsonObject json, String name, @Nullable String value) {
            if (value != null && !value.isEmpty()) {
                json.put(name, value);
            }
        }
    }

    private final Database database;

    JobViews(Database database) {
        this.database = database;
    }

    /** Fails with {@link Failure.NotFound}. */
    Future<JobRow> get(JobId job) {
        return database.query(COLUMNS + " WHERE job = $1", Tuple.of(job.uuid()))
                .map(rows -> {
                    for (Row row : rows) {
                        return new JobRow(row);
                    }
                    throw notFound(job);
                });
    }

    /**
     * The latest first.
     *
     * @param before jobs older than this one, null for the latest
     */
    Future<List<JobRow>> list(Filter filter, @Nullable JobId before, int atMost) {
        List<Object> values = new ArrayList<>();
        String sql = listed(filter, before, atMost, values);
        return database.query(sql, Tuple.tuple(values))
                .map(rows -> {
                    List<JobRow> jobs = new ArrayList<>(rows.size());
                    rows.forEach(row -> jobs.add(new JobRow(row)));
                    return jobs;
                });
    }

    /**
     * Of the archive one part for each state, so that each is read along its index in order and no
     * further than the limit; a list of states in one condition would have all of them sorted.
     */
    private static String listed(
            Filter filter, @Nullable JobId before, int atMost, List<Object> values) {
        StringBuilder where = new StringBuilder();
        if (before != null) {
            values.add(before.uuid());
            where.append(" AND job < $").append(values.size());
        }
        equal(where, values, "project", filter.project());
        equal(where, values, "pool", filter.pool());
        if (filter.namePrefix() != null) {
            values.add(filter.namePrefix());
            where.append(" AND starts_with(name, $").append(values.size()).append(')');
        }
        values.add(atMost);
        String end = " ORDER BY job DESC LIMIT $" + values.size();
        if (filter.states().isEmpty()) {
            return COLUMNS + " WHERE true" + where + end;
        }
        values.add(filter.states().stream().map(JobState::name).toArray(String[]::new));
        StringBuilder parts = new StringBuilder();
        parts.append('(').append(COLUMNS).append(" WHERE NOT archived AND state = ANY($");
        parts.append(values.size()).append(')').append(where).append(end).append(')');
        for (JobState state : new TreeSet<>(filter.states())) {
            if (state.terminal()) {
                parts.append(" UNION ALL (")
                        .append(COLUMNS)
                        .append(" WHERE archived AND state = '");
                parts.append(state.name()).append('\'').append(where).append(end).append(')');
            }
        }
        return "SELECT * FROM (" + parts + ") AS parts" + end;
    }

    private static void equal(
            StringBuilder sql, List<Object> values, String column, @Nullable String value) {
        if (value != null) {
            values.add(value);
            sql.append(" AND ").append(column).append(" = $").append(values.size());
        }
    }

    /** Where a job's events begin: none lies before it. */
    record FirstEvent(PoolId pool, long seq) {}

    /** Fails with {@link Failure.NotFound}. */
    Future<FirstEvent> firstEvent(JobId job) {
        return database.query(
                        """
                        SELECT v.pool, COALESCE(v.runs[1], p.seq + 1, 1) AS seq
                        FROM gateway.job_view v LEFT JOIN gateway.view_position p USING (pool)
                        WHERE v.job = $1\
                        """,
                        Tuple.of(job.uuid()))
                .map(rows -> {
                    for (Row row : rows) {
                        return new FirstEvent(
                                new PoolId(row.getString("pool")), row.getLong("seq"));
                    }
                    throw notFound(job);
                });
    }

    private static FailureException notFound(JobId job) {
        return new FailureException(new Failure.NotFound("There is no job " + job + "."));
    }

    /** The canonical specification as JSON. Fails with {@link Failure.NotFound}. */
    Future<Buffer> spec(JobId job) {
        return database.query(
                        "SELECT spec FROM gateway.job_spec WHERE job = $1", Tuple.of(job.uuid()))
                .map(rows -> {
                    for (Row row : rows) {
                        return row.getBuffer("spec");
                    }
                    throw notFound(job);
                });
    }
}
