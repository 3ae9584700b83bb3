package dev.muster.agent;

import java.util.List;

/**
 * What of an instance's log is to be told at once.
 *
 * @param silenceSeconds of the log, after which it is told; 0 for never
 * @param startupSeconds since the process start, before which silence is not told
 * @param failurePatterns in RE2 syntax: a line that one of them matches is told
 */
public record Watch(int silenceSeconds, int startupSeconds, List<String> failurePatterns) {

    /** Nothing is told at once but an exit. */
    public static final Watch OFF = new Watch(0, 0, List.of());

    public Watch {
        if (silenceSeconds < 0 || startupSeconds < 0) {
            throw new IllegalArgumentException("silence and startup are seconds from 0 on");
        }
        failurePatterns = List.copyOf(failurePatterns);
    }
}
