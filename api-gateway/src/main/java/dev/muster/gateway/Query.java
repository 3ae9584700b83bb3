package dev.muster.gateway;

import dev.muster.domain.Failure;
import dev.muster.domain.Violation;
import dev.muster.platform.http.FailureException;

import io.vertx.core.http.HttpServerRequest;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** The query of a request: what is unknown, malformed or given twice is refused, all at once. */
final class Query {

    private final HttpServerRequest request;
    private final List<Violation> violations = new ArrayList<>();

    private Query(HttpServerRequest request) {
        this.request = request;
    }

    /**
     * @param known names that the endpoint reads
     */
    static Query of(HttpServerRequest request, String... known) {
        Query query = new Query(request);
        Set<String> names = Set.of(known);
        for (String name : request.params().names()) {
            // path parameters stand among those of the query
            if (!names.contains(name) && isInQuery(request, name)) {
                query.violation(name, "", "is no parameter", "one of " + String.join(", ", known));
            }
        }
        return query;
    }

    private static boolean isInQuery(HttpServerRequest request, String name) {
        String text = request.query();
        return text != null && ("&" + text).contains("&" + name);
    }

    private void violation(String name, String value, String rule, String allowed) {
        violations.add(Violation.of(name, value, rule, allowed));
    }

    @Nullable String text(String name) {
        List<String> values = request.params().getAll(name);
        if (values.size() > 1) {
            violation(name, values.getLast(), "is given twice", "once");
        }
        return values.isEmpty() || values.getFirst().isEmpty() ? null : values.getFirst();
    }

    /** What the reader makes of the text; its exception is a violation. */
    <T> @Nullable T value(String name, Function<String, T> reader, String allowed) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        try {
            return reader.apply(text);
        } catch (IllegalArgumentException e) {
            violation(name, text, "is malformed", allowed);
            return null;
        }
    }

    /** Each of a list separated by commas. */
    <T> List<T> values(String name, Function<String, T> reader, String allowed) {
        List<T> values = new ArrayList<>();
        String text = text(name);
        if (text == null) {
            return values;
        }
        for (String each : text.split(",", -1)) {
            try {
                values.add(reader.apply(each));
            } catch (IllegalArgumentException e) {
                violation(name, each, "is malformed", allowed);
            }
        }
        return values;
    }

    long number(String name, long byDefault, long least, long greatest) {
        String allowed = least + ".." + greatest;
        Long value = value(name, Long::valueOf, allowed);
        if (value == null) {
            return byDefault;
        }
        if (value < least || value > greatest) {
            violation(name, value.toString(), "is out of range", allowed);
            return byDefault;
        }
        return value;
    }

    boolean flag(String name) {
        String text = text(name);
        if (text == null || text.equals("false")) {
            return false;
        }
        if (!text.equals("true")) {
            violation(name, text, "is neither true nor false", "true, false");
        }
        return true;
    }

    /**
     * @throws FailureException with all violations, if there are any
     */
    void check() {
        if (!violations.isEmpty()) {
            throw new FailureException(new Failure.Invalid(violations));
        }
    }
}
