package dev.muster.agent;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Cuts the bytes of a log into lines. A carriage return ends a line as well, since progress bars
 * end theirs so. Of a longer line, only its beginning is given.
 */
final class LogLines {

    static final int MAX_LINE_BYTES = 8 * 1024;

    private final byte[] line = new byte[MAX_LINE_BYTES];
    private int length;

    /** Lines that ended in these bytes. */
    void add(byte[] bytes, Consumer<String> found) {
        for (byte each : bytes) {
            if (each == '\n' || each == '\r') {
                end(found);
            } else if (length < MAX_LINE_BYTES) {
                line[length++] = each;
            }
        }
    }

    /** What lies here is a line, though its end was not written. */
    void end(Consumer<String> found) {
        if (length > 0) {
            found.accept(new String(Arrays.copyOf(line, length), StandardCharsets.UTF_8));
            length = 0;
        }
    }

    /** Forgets the beginning of a line: what follows does not belong to it. */
    void skip() {
        length = 0;
    }
}
