package dev.muster.embedded;

import java.util.Properties;

/** Reads what another process wrote about a server. */
record ConnectionProperties(String file, Properties values) {
    String text(String name) {
        String value = values.getProperty(name);
        if (value == null || value.isBlank()) {
            throw new EmbeddedServerException(
                    "The file " + file + " lacks '" + name + "': start the server anew.");
        }
        return value;
    }

    long number(String name) {
        try {
            return Long.parseLong(text(name));
        } catch (NumberFormatException e) {
            throw new EmbeddedServerException(
                    "The file " + file + " has no number in '" + name + "': start the server anew.",
                    e);
        }
    }
}
