package dev.muster.platform.observe;

import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.layout.PatternLayout;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;

/** The last lines of this process's log, kept in memory for who is to find out what happened. */
final class RecentLog extends AbstractAppender {

    static final RecentLog INSTANCE = new RecentLog();

    private static final int LINES = 1_000;
    private static final int LINE_CHARS = 4_000;

    private final ArrayDeque<String> lines = new ArrayDeque<>();

    private RecentLog() {
        super(
                "recent",
                null,
                PatternLayout.newBuilder()
                        .withPattern(
                                "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %threadName %c{1} "
                                        + " %enc{%m}{CRLF}%n%xEx{10}")
                        .build(),
                true,
                Property.EMPTY_ARRAY);
    }

    @Override
    public void append(LogEvent event) {
        String line = new String(getLayout().toByteArray(event), StandardCharsets.UTF_8);
        String kept = line.length() > LINE_CHARS ? line.substring(0, LINE_CHARS) + "…\n" : line;
        synchronized (lines) {
            if (lines.size() == LINES) {
                lines.removeFirst();
            }
            lines.addLast(kept);
        }
    }

    String text() {
        synchronized (lines) {
            return String.join("", lines);
        }
    }
}
