package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** How a job's recovery ledger is asked for and shown: one row per tier that was tried. */
final class Incident {

    private static final String NONE = "-";

    private Incident() {}

    static String path(String job) {
        return Jobs.path(job) + "/incidents";
    }

    /** All of them: a job has few. */
    static List<JsonNode> all(ApiClient api, String job) {
        List<JsonNode> all = new ArrayList<>();
        String after = "0";
        while (!after.isEmpty()) {
            JsonNode page = api.get(new Query(path(job)).with("after", after).toString());
            page.path("items").forEach(all::add);
            after = page.path("next").asText("");
        }
        return all;
    }

    static Table table(Iterable<JsonNode> incidents) {
        Table table =
                new Table(
                        "INCIDENT",
                        "ATTEMPT",
                        "SCENARIO",
                        "TIER",
                        "RESULT",
                        "STARTED",
                        "ENDED",
                        "INSTANCES",
                        "NODES",
                        "WHAT");
        for (JsonNode incident : incidents) {
            if (incident.path("tiers").isEmpty()) {
                row(table, incident, incident, NONE);
            }
            incident.path("tiers")
                    .forEach(tier -> row(table, incident, tier, tier.path("name").asText()));
        }
        return table;
    }

    private static void row(Table table, JsonNode incident, JsonNode record, String tier) {
        table.row(
                incident.path("incident").asText(),
                record.path("attempt").asText(),
                record.path("scenario").asText(),
                tier,
                record.path("result").asText(),
                record.path("startedAt").asText(),
                record.path("endedAt").asText(NONE),
                joined(incident.path("instances")),
                joined(incident.path("nodes")),
                what(incident));
    }

    private static String what(JsonNode incident) {
        String reason = incident.path("reason").asText("");
        String message = incident.path("message").asText();
        return reason.isEmpty() ? message : message + ": " + reason;
    }

    private static String joined(JsonNode values) {
        StringJoiner out = new StringJoiner(",").setEmptyValue(NONE);
        values.forEach(value -> out.add(value.asText()));
        return out.toString();
    }

    /** Where what the instances did is kept, one line each. */
    static String evidence(Iterable<JsonNode> incidents) {
        StringBuilder out = new StringBuilder();
        for (JsonNode incident : incidents) {
            incident.path("evidence")
                    .forEach(each ->
                            out.append("incident ")
                                    .append(incident.path("incident").asText())
                                    .append(", instance ")
                                    .append(each.path("index").asText())
                                    .append(": ")
                                    .append(each.path("location").asText())
                                    .append('\n'));
        }
        return out.toString();
    }
}
