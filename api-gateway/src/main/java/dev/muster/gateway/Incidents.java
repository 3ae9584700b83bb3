package dev.muster.gateway;

import dev.muster.domain.JobId;
import dev.muster.domain.RecoveryResult;
import dev.muster.domain.Tier;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A job's recovery ledger: one record per incident, with the tiers that were tried in it. */
final class Incidents {

    private static final String INCIDENTS =
            """
            SELECT incident, attempt, opened_at_ms, closed_at_ms, scenario, result, message, reason,
                instances, nodes
            FROM gateway.incident_view WHERE job = $1 AND incident > $2
            ORDER BY incident LIMIT $3\
            """;

    private static final String RESTARTS =
            """
            SELECT incident, attempt, at_ms, tier, scenario, incarnation, process_start, restarts,
                unconditional_in_row, hang_in_row
            FROM gateway.incident_restart WHERE job = $1 AND incident BETWEEN $2 AND $3
            ORDER BY incident, seq\
            """;

    private static final String EVIDENCE =
            """
            SELECT incident, index, process_start, location
            FROM gateway.incident_evidence WHERE job = $1 AND incident BETWEEN $2 AND $3
            ORDER BY incident, index\
            """;

    private final Database database;

    Incidents(Database database) {
        this.database = database;
    }

    /**
     * In the order in which they came about.
     *
     * @param after number of the last one that is known, 0 for none
     */
    Future<List<JsonObject>> of(JobId job, int after, int atMost) {
        return database.query(INCIDENTS, Tuple.of(job.uuid(), after, atMost))
                .compose(rows ->
                        rows.size() == 0
                                ? Future.succeededFuture(List.of())
                                : withRestarts(job, rows));
    }

    private Future<List<JsonObject>> withRestarts(JobId job, RowSet<Row> rows) {
        List<Row> incidents = new ArrayList<>();
        rows.forEach(incidents::add);
        Tuple range =
                Tuple.of(
                        job.uuid(),
                        incidents.getFirst().getInteger("incident"),
                        incidents.getLast().getInteger("incident"));
        return database.query(RESTARTS, range)
                .compose(restarts ->
                        database.query(EVIDENCE, range)
                                .map(evidence ->
                                        joined(
                                                incidents,
                                                byIncident(restarts),
                                                byIncident(evidence))));
    }

    private static Map<Integer, List<Row>> byIncident(RowSet<Row> rows) {
        Map<Integer, List<Row>> byIncident = new HashMap<>();
        rows.forEach(row ->
                byIncident
                        .computeIfAbsent(row.getInteger("incident"), _ -> new ArrayList<>())
                        .add(row));
        return byIncident;
    }

    private static List<JsonObject> joined(
            List<Row> incidents,
            Map<Integer, List<Row>> restarts,
            Map<Integer, List<Row>> evidence) {
        List<JsonObject> items = new ArrayList<>();
        for (Row row : incidents) {
            int number = row.getInteger("incident");
            items.add(
                    incident(row)
                            .put("tiers", tiers(row, restarts.getOrDefault(number, List.of())))
                            .put("evidence", evidence(evidence.getOrDefault(number, List.of()))));
        }
        return items;
    }

    private static JsonObject incident(Row row) {
        JsonObject json =
                new JsonObject()
                        .put("incident", row.getInteger("incident"))
                        .put("attempt", row.getInteger("attempt"))
                        .put("scenario", row.getString("scenario"))
                        .put("result", resultOf(row))
                        .put("message", row.getString("message"))
                        .put("startedAt", Answers.time(row.getLong("opened_at_ms")));
        optional(json, "endedAt", Answers.time(row.getLong("closed_at_ms")));
        optional(json, "reason", row.getString("reason"));
        return json.put("instances", new JsonArray(list(row.getArrayOfIntegers("instances"))))
                .put("nodes", new JsonArray(list(row.getArrayOfStrings("nodes"))));
    }

    private static <T> List<T> list(T[] values) {
        return new ArrayList<>(Arrays.asList(values));
    }

    private static String resultOf(Row incident) {
        String result = incident.getString("result");
        return result.isEmpty() ? RecoveryResult.RECOVERING.name() : result;
    }

    /** The last one has the incident's result; those before it did not bring the job back. */
    private static JsonArray tiers(Row incident, List<Row> restarts) {
        JsonArray tiers = new JsonArray();
        for (int i = 0; i < restarts.size(); i++) {
            Row row = restarts.get(i);
            boolean last = i == restarts.size() - 1;
            Long end =
                    last ? incident.getLong("closed_at_ms") : restarts.get(i + 1).getLong("at_ms");
            JsonObject tier =
                    new JsonObject()
                            .put("tier", row.getString("tier"))
                            .put("name", Tier.valueOf(row.getString("tier")).ledgerName())
                            .put("scenario", row.getString("scenario"))
                            .put(
                                    "result",
                                    last ? resultOf(incident) : RecoveryResult.DOWNGRADE.name())
                            .put("startedAt", Answers.time(row.getLong("at_ms")));
            optional(tier, "endedAt", Answers.time(end));
            tiers.add(
                    tier.put("attempt", row.getInteger("attempt"))
                            .put("incarnation", row.getInteger("incarnation"))
                            .put("processStart", row.getInteger("process_start"))
                            .put("spent", spent(row)));
        }
        return tiers;
    }

    private static JsonObject spent(Row row) {
        return new JsonObject()
                .put("restarts", row.getInteger("restarts"))
                .put("unconditionalInRow", row.getInteger("unconditional_in_row"))
                .put("hangInRow", row.getInteger("hang_in_row"));
    }

    private static JsonArray evidence(List<Row> rows) {
        JsonArray evidence = new JsonArray();
        rows.forEach(row ->
                evidence.add(
                        new JsonObject()
                                .put("index", row.getInteger("index"))
                                .put("processStart", row.getInteger("process_start"))
                                .put("location", row.getString("location"))));
        return evidence;
    }

    private static void optional(JsonObject json, String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            json.put(name, value);
        }
    }
}
