package dev.muster.gateway;

import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.gateway.IncidentChanges.Closed;
import dev.muster.gateway.IncidentChanges.Opened;
import dev.muster.gateway.IncidentChanges.Restart;
import dev.muster.platform.sql.Writer;

import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Writes what is told of incidents; each statement may be repeated. */
final class IncidentStore {

    private static final String OPEN =
            """
            INSERT INTO gateway.incident_view
                (job, incident, attempt, opened_at_ms, scenario, message, instances, nodes)
            SELECT c.job, c.incident, c.attempt, c.at_ms, c.scenario, c.message,
                string_to_array(c.instances, ',')::int[], string_to_array(c.nodes, ',')
            FROM unnest($1::uuid[], $2::int[], $3::int[], $4::bigint[], $5::text[], $6::text[],
                $7::text[], $8::text[])
                AS c(job, incident, attempt, at_ms, scenario, message, instances, nodes)
            ON CONFLICT (job, incident) DO NOTHING\
            """;

    private static final String RESTART =
            """
            INSERT INTO gateway.incident_restart
                (job, incident, seq, attempt, at_ms, tier, scenario, incarnation, process_start,
                 restarts, unconditional_in_row, hang_in_row)
            SELECT * FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::int[], $5::bigint[],
                $6::text[], $7::text[], $8::int[], $9::int[], $10::int[], $11::int[], $12::int[])
            ON CONFLICT (job, incident, seq) DO NOTHING\
            """;

    private static final String CLOSE =
            """
            UPDATE gateway.incident_view v
            SET closed_at_ms = c.at_ms, result = c.result, reason = c.reason
            FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::text[], $5::text[])
                AS c(job, incident, at_ms, result, reason)
            WHERE v.job = c.job AND v.incident = c.incident AND v.closed_at_ms IS NULL\
            """;

    private static final String EVIDENCE =
            """
            INSERT INTO gateway.incident_evidence (job, incident, index, process_start, location)
            SELECT DISTINCT ON (c.job, c.incident, c.index)
                c.job, c.incident, c.index, c.process_start, c.location
            FROM unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::text[])
                AS c(job, incident, index, process_start, location)
            ON CONFLICT (job, incident, index) DO NOTHING\
            """;

    private final Writer writer;

    IncidentStore(Writer writer) {
        this.writer = writer;
    }

    /** In the order in which it came about: what closes was opened before. */
    Future<Void> apply(IncidentChanges changes) {
        return ifAny(OPEN, changes.opened(), IncidentStore::opened)
                .compose(_ -> ifAny(RESTART, changes.restarts(), IncidentStore::restarts))
                .compose(_ -> ifAny(CLOSE, changes.closed(), IncidentStore::closed))
                .compose(_ -> ifAny(EVIDENCE, changes.evidence(), IncidentStore::evidence));
    }

    private <T> Future<Void> ifAny(String sql, List<T> rows, Function<List<T>, Tuple> columns) {
        return rows.isEmpty()
                ? Future.succeededFuture()
                : writer.execute(sql, columns.apply(rows)).mapEmpty();
    }

    private static Tuple opened(List<Opened> rows) {
        return Tuple.tuple()
                .addArrayOfUUID(jobs(rows, Opened::job))
                .addArrayOfInteger(ints(rows, Opened::incident))
                .addArrayOfInteger(ints(rows, Opened::attempt))
                .addArrayOfLong(longs(rows, Opened::atMillis))
                .addArrayOfString(texts(rows, row -> row.scenario().name()))
                .addArrayOfString(texts(rows, Opened::message))
                .addArrayOfString(texts(rows, row -> joined(row.instances())))
                .addArrayOfString(texts(rows, row -> joined(row.nodes())));
    }

    private static Tuple restarts(List<Restart> rows) {
        return Tuple.tuple()
                .addArrayOfUUID(jobs(rows, row -> row.event().job()))
                .addArrayOfInteger(ints(rows, row -> row.event().incident()))
                .addArrayOfLong(longs(rows, Restart::seq))
                .addArrayOfInteger(ints(rows, row -> row.event().attempt()))
                .addArrayOfLong(longs(rows, Restart::atMillis))
                .addArrayOfString(texts(rows, row -> row.event().tier().name()))
                .addArrayOfString(texts(rows, row -> row.event().scenario().name()))
                .addArrayOfInteger(ints(rows, row -> row.event().incarnation()))
                .addArrayOfInteger(ints(rows, row -> row.event().processStart()))
                .addArrayOfInteger(ints(rows, row -> row.event().spent().restarts()))
                .addArrayOfInteger(ints(rows, row -> row.event().spent().unconditionalInRow()))
                .addArrayOfInteger(ints(rows, row -> row.event().spent().hangInRow()));
    }

    private static Tuple closed(List<Closed> rows) {
        return Tuple.tuple()
                .addArrayOfUUID(jobs(rows, Closed::job))
                .addArrayOfInteger(ints(rows, Closed::incident))
                .addArrayOfLong(longs(rows, Closed::atMillis))
                .addArrayOfString(texts(rows, row -> row.result().name()))
                .addArrayOfString(texts(rows, Closed::reason));
    }

    private static Tuple evidence(List<Event.EvidenceKept> rows) {
        return Tuple.tuple()
                .addArrayOfUUID(jobs(rows, Event.EvidenceKept::job))
                .addArrayOfInteger(ints(rows, Event.EvidenceKept::incident))
                .addArrayOfInteger(ints(rows, Event.EvidenceKept::index))
                .addArrayOfInteger(ints(rows, Event.EvidenceKept::processStart))
                .addArrayOfString(texts(rows, Event.EvidenceKept::location));
    }

    private static <T> UUID[] jobs(List<T> rows, Function<T, JobId> job) {
        return rows.stream().map(job).map(JobId::uuid).toArray(UUID[]::new);
    }

    private static <T> Integer[] ints(List<T> rows, Function<T, Integer> value) {
        return rows.stream().map(value).toArray(Integer[]::new);
    }

    private static <T> Long[] longs(List<T> rows, Function<T, Long> value) {
        return rows.stream().map(value).toArray(Long[]::new);
    }

    private static <T> String[] texts(List<T> rows, Function<T, String> value) {
        return rows.stream().map(value).toArray(String[]::new);
    }

    /** Neither numbers nor names of nodes hold a comma. */
    private static String joined(List<?> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
