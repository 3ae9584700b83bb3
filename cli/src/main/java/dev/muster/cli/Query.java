package dev.muster.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A path with query parameters, each encoded. */
final class Query {

    private final String path;
    private final List<String> parameters = new ArrayList<>();

    Query(String path) {
        this.path = path;
    }

    Query with(String name, Object value) {
        parameters.add(name + "=" + encode(value.toString()));
        return this;
    }

    Query with(String name, Optional<?> value) {
        value.ifPresent(present -> with(name, present));
        return this;
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public String toString() {
        return parameters.isEmpty() ? path : path + "?" + String.join("&", parameters);
    }
}
