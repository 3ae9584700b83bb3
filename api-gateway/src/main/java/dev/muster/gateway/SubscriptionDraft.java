package dev.muster.gateway;

import dev.muster.domain.Failure;
import dev.muster.domain.ProjectId;
import dev.muster.domain.Violation;
import dev.muster.platform.http.FailureException;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * A request for a subscription: read whole, refused with every violation at once.
 *
 * @param project null where the job tells it
 * @param types empty for all
 */
record SubscriptionDraft(@Nullable ProjectId project, String url, List<String> types) {

    private static final String DEFAULT_PROJECT = "default";
    private static final int MAX_URL = 2_048;
    private static final int MAX_PORT = 65_535;
    private static final String URL_FORM = "https://host[:port][/path][?query], or http://…";

    /**
     * @param ofJob whether the job stands in the path, and with it the project
     * @throws FailureException with all violations
     */
    static SubscriptionDraft read(@Nullable Buffer body, boolean ofJob) {
        List<Violation> violations = new ArrayList<>();
        JsonObject json = object(body);
        Set<String> known = ofJob ? Set.of("url", "events") : Set.of("url", "events", "project");
        refuseOthers(json, known, "a subscription", violations);
        ProjectId project = ofJob ? null : project(json, violations);
        String url = url(json, violations);
        List<String> types = types(json, violations);
        if (!violations.isEmpty()) {
            throw new FailureException(new Failure.Invalid(violations));
        }
        return new SubscriptionDraft(project, url, types);
    }

    /** A violation for each member that is none of those known. */
    static void refuseOthers(
            JsonObject json, Set<String> known, String of, List<Violation> violations) {
        for (String name : json.fieldNames()) {
            if (!known.contains(name)) {
                violations.add(
                        Violation.of(
                                name,
                                "",
                                "is no member of " + of,
                                "one of " + new TreeSet<>(known)));
            }
        }
    }

    /**
     * A body, or nothing at all.
     *
     * @throws FailureException if it is no JSON object
     */
    static JsonObject object(@Nullable Buffer body) {
        if (body == null || body.length() == 0) {
            return new JsonObject();
        }
        try {
            return new JsonObject(body);
        } catch (DecodeException | ClassCastException _) {
            throw new FailureException(
                    new Failure.Invalid(
                            List.of(Violation.of("body", "", "is no JSON object", ""))));
        }
    }

    private static @Nullable ProjectId project(JsonObject json, List<Violation> violations) {
        Object value = json.getValue("project", DEFAULT_PROJECT);
        try {
            if (value instanceof String text) {
                return new ProjectId(text);
            }
        } catch (IllegalArgumentException _) {
            // said below
        }
        violations.add(Violation.of("project", value, "is no project's name", ""));
        return null;
    }

    private static String url(JsonObject json, List<Violation> violations) {
        Object value = json.getValue("url");
        String text = value instanceof String given ? given : "";
        String rule = text.isEmpty() ? "is needed" : urlRule(text);
        if (!rule.isEmpty()) {
            violations.add(Violation.of("url", value == null ? "" : value, rule, URL_FORM));
        }
        return text;
    }

    /** Empty for an address that deliveries can go to. */
    private static String urlRule(String text) {
        if (text.length() > MAX_URL) {
            return "is longer than " + MAX_URL + " characters";
        }
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException _) {
            return "is no URL";
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("https") && !scheme.equals("http")) {
            return "is neither https nor http";
        }
        if (uri.getRawUserInfo() != null) {
            return "holds a user or password: receivers verify the signature instead";
        }
        if (uri.getRawFragment() != null) {
            return "holds a fragment";
        }
        if (uri.getHost() == null || !text.matches("[!-~]+")) {
            return "has no host, or one that is not in ASCII";
        }
        return uri.getPort() == 0 || uri.getPort() > MAX_PORT ? "has no valid port" : "";
    }

    private static List<String> types(JsonObject json, List<Violation> violations) {
        Object value = json.getValue("events");
        if (value == null) {
            return EventTypes.BY_DEFAULT;
        }
        if (!(value instanceof JsonArray given) || given.isEmpty()) {
            violations.add(
                    Violation.of("events", value, "is no list of types", "at least one, or \"*\""));
            return List.of();
        }
        Set<String> types = new TreeSet<>();
        for (int i = 0; i < given.size(); i++) {
            Object each = given.getValue(i);
            if (each instanceof String type
                    && (type.equals(EventTypes.ALL) || EventTypes.PUBLIC.contains(type))) {
                types.add(type);
            } else {
                violations.add(
                        Violation.of(
                                "events[" + i + "]",
                                each == null ? "" : each,
                                "is no type of event",
                                "one of *, " + String.join(", ", EventTypes.PUBLIC)));
            }
        }
        return types.contains(EventTypes.ALL) ? List.of() : List.copyOf(types);
    }
}
