package dev.muster.bench;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.parsetools.RecordParser;

import java.nio.charset.StandardCharsets;

/** Reads just type and subject of each server-sent event: the generator must not be what limits. */
final class SseLines {

    /** Told of each event. */
    interface Listener {
        void event(String type, String job);
    }

    private final RecordParser lines;
    private final Listener listener;
    private String type = "";

    SseLines(Listener listener) {
        this.listener = listener;
        this.lines = RecordParser.newDelimited("\n", this::line);
    }

    void feed(Buffer chunk) {
        lines.handle(chunk);
    }

    private void line(Buffer buffer) {
        String line = buffer.toString(StandardCharsets.UTF_8);
        if (line.startsWith("event:")) {
            type = line.substring(6).strip();
        } else if (line.startsWith("data:")) {
            String subject = member(line, "\"subject\":\"");
            String named = type.isEmpty() ? member(line, "\"type\":\"") : type;
            type = "";
            if (!subject.isEmpty()) {
                listener.event(named, subject);
            }
        }
    }

    private static String member(String line, String prefix) {
        int begin = line.indexOf(prefix);
        if (begin < 0) {
            return "";
        }
        int from = begin + prefix.length();
        return line.substring(from, line.indexOf('"', from));
    }
}
