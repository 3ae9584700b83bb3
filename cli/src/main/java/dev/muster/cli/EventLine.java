package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.StringJoiner;

/** One event in one line for people: time, what happened, to what. */
final class EventLine {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneOffset.UTC);

    private EventLine() {}

    static String type(JsonNode event) {
        String type = event.path("type").asText();
        return type.substring(type.lastIndexOf('.') + 1);
    }

    static String of(JsonNode event) {
        JsonNode data = event.path("data");
        return time(event)
                + "  "
                + event.path("subject").asText()
                + "  "
                + type(event)
                + details(data);
    }

    /** Time of day in UTC, to the millisecond. */
    static String time(JsonNode event) {
        String text = event.path("time").asText();
        return text.isEmpty() ? text : TIME.format(Instant.parse(text));
    }

    private static String details(JsonNode data) {
        StringJoiner out = new StringJoiner(", ", "  ", "").setEmptyValue("");
        add(out, data, "attempt");
        add(out, data, "index");
        add(out, data, "incarnation");
        add(out, data, "processStart");
        add(out, data, "exitCode");
        add(out, data, "cause");
        add(out, data, "incident");
        add(out, data, "scenario");
        add(out, data, "tier");
        add(out, data, "result");
        add(out, data, "location");
        add(out, data, "message");
        if (data.path("reason").isTextual()) {
            add(out, data, "reason");
        } else if (data.path("reason").isObject()
                && !data.path("reason").path("code").asText().equals("AWAITS_CYCLE")) {
            JsonNode reason = data.path("reason");
            out.add(
                    reason.path("code").asText()
                            + ": needs "
                            + reason.path("needed").asText()
                            + " "
                            + reason.path("constraint").asText()
                            + " in "
                            + reason.path("scope").asText()
                            + ", available "
                            + reason.path("available").asText());
        }
        if (data.path("placements").isArray()) {
            out.add("on " + placements(data.path("placements")));
        }
        return out.toString();
    }

    static String placements(JsonNode placements) {
        StringJoiner out = new StringJoiner(" ");
        placements.forEach(p -> {
            StringJoiner devices = new StringJoiner(",", "[", "]");
            p.path("devices").forEach(d -> devices.add(d.asText()));
            out.add(p.path("index").asText() + "→" + p.path("node").asText() + devices);
        });
        return out.toString();
    }

    private static void add(StringJoiner out, JsonNode data, String member) {
        String value = data.path(member).asText("");
        if (!value.isEmpty() && !value.equals("null")) {
            out.add(member + " " + value);
        }
    }
}
