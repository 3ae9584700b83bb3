package dev.muster.agent;

/**
 * What was heard of one process start so far.
 *
 * @param processStart from 1
 * @param runMillis since it started, by a clock that nobody steps
 * @param silentMillis since it printed last, or since it started, by such a clock as well
 * @param logBytes size of the instance's log, earlier process starts included
 * @param step that its log said last, −1 for none
 * @param loss that its log said last, NaN for none
 * @param checkpoint that its log said last, empty for none
 * @param failure the first line that a failure pattern matched, at most {@link #FAILURE_CHARS}
 *     characters of it; empty for none
 * @param running whether it has not ended
 */
public record Signals(
        int processStart,
        long runMillis,
        long silentMillis,
        long logBytes,
        long step,
        double loss,
        String checkpoint,
        String failure,
        boolean running) {

    public static final int FAILURE_CHARS = 512;

    /** Before the first process start. */
    public static final Signals NONE = new Signals(0, 0, 0, 0, -1, Double.NaN, "", "", false);

    /** The same some time later, if nothing new was heard. */
    Signals later(long millis) {
        return new Signals(
                processStart,
                runMillis + millis,
                silentMillis + millis,
                logBytes,
                step,
                loss,
                checkpoint,
                failure,
                running);
    }
}
