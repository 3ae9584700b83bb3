package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.Locale;

/** What happens to a job that hangs or breaks, in words. */
final class RecoveryWords {

    private RecoveryWords() {}

    /** Of an event of recovery; empty for any other. */
    static String of(String type, JsonNode data) {
        return switch (type) {
            case "JobHanged" -> "hung: " + data.path("message").asText();
            case "IncidentOpened" ->
                    "incident %s: %s, %s"
                            .formatted(
                                    data.path("incident").asText(),
                                    lower(data.path("scenario")),
                                    data.path("message").asText());
            case "VerdictAwaited" -> "the monitor's word on the exit is awaited";
            case "JobRestarting" ->
                    "restarting at tier %s, %s".formatted(lower(data.path("tier")), counters(data));
            case "JobRestarted" -> "runs again after a restart of its " + lower(data.path("tier"));
            case "IncidentClosed" ->
                    "incident %s ends: %s %s"
                            .formatted(
                                    data.path("incident").asText(),
                                    lower(data.path("result")),
                                    data.path("message").asText());
            case "EvidenceKept" ->
                    "stacks of instance %s are kept in %s"
                            .formatted(data.path("index").asText(), data.path("location").asText());
            case "RecoveryReset" -> "restarts in a row are forgotten: it makes progress";
            case "JobPreempted" -> "preempted: " + data.path("reason").asText();
            default -> "";
        };
    }

    private static String counters(JsonNode data) {
        return switch (data.path("tier").asText()) {
            case "PROCESS" -> "process start " + data.path("processStart").asText();
            case "CONTAINER" -> "incarnation " + data.path("incarnation").asText();
            default -> "a new attempt";
        };
    }

    private static String lower(JsonNode word) {
        return word.asText().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
