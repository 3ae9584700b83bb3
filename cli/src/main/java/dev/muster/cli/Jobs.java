package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;

/** How a job is asked for and shown. */
final class Jobs {

    static final String PATH = "/api/v1/jobs";

    private static final Set<String> TERMINAL = Set.of("SUCCEEDED", "FAILED", "STOPPED");

    private Jobs() {}

    static String path(String job) {
        return PATH + "/" + Query.encode(job);
    }

    static boolean ended(JsonNode job) {
        return TERMINAL.contains(job.path("state").asText());
    }

    static String row(JsonNode job) {
        return table(List.of(job)).toString();
    }

    static Table table(Iterable<JsonNode> jobs) {
        Table table = new Table("ID", "NAME", "STATE", "INSTANCES", "PRIORITY", "AGE", "WHY");
        jobs.forEach(job -> table.row(cells(job)));
        return table;
    }

    private static String[] cells(JsonNode job) {
        return new String[] {
            job.path("id").asText(),
            job.path("name").asText(),
            job.path("state").asText(),
            job.path("instances").asText(),
            job.path("priority").asText(),
            age(job.path("submittedAt").asText()),
            why(job)
        };
    }

    /** Why it waits, or why it ended as it did. */
    static String why(JsonNode job) {
        String message = job.path("message").asText("");
        return message.isEmpty() ? job.path("reason").path("message").asText("") : message;
    }

    private static String age(String instant) {
        if (instant.isEmpty()) {
            return "";
        }
        Duration age = Duration.between(Instant.parse(instant), Instant.now());
        if (age.compareTo(Duration.ofMinutes(2)) < 0) {
            return Math.max(0, age.toSeconds()) + "s";
        }
        if (age.compareTo(Duration.ofHours(2)) < 0) {
            return age.toMinutes() + "m";
        }
        return age.compareTo(Duration.ofDays(2)) < 0
                ? age.toHours() + "h"
                : age.truncatedTo(ChronoUnit.DAYS).toDays() + "d";
    }

    /**
     * What a script that waited for the job gets: 0, the code of the command that failed first
     * since the last restart, 1 for another failure, 130 if it was stopped.
     */
    static int exitCode(ApiClient api, JsonNode job) {
        return switch (job.path("state").asText()) {
            case "SUCCEEDED" -> ExitCodes.OK;
            case "STOPPED" -> ExitCodes.STOPPED;
            default -> failedCode(api, job);
        };
    }

    private static int failedCode(ApiClient api, JsonNode job) {
        int first = ExitCodes.FAILED;
        boolean known = false;
        for (JsonNode event : api.get(path(job.path("id").asText()) + "/events").path("items")) {
            int code = event.path("data").path("exitCode").asInt(0);
            String type = EventLine.type(event);
            if (type.equals("JobRestarting") || type.equals("GangGranted")) {
                known = false; // what failed before was not the end
            } else if (type.equals("InstanceExited") && code != 0 && !known) {
                known = true;
                first = code;
            }
        }
        return known ? first : ExitCodes.FAILED;
    }
}
