package dev.muster.notifier;

import java.util.function.LongUnaryOperator;

/**
 * The pause after a failed attempt: exponential with full jitter, so that many deliveries that
 * failed together do not come back together.
 *
 * @param baseMillis longest pause after the first attempt
 * @param maxMillis longest pause at all
 * @param below draws a number from 0 to its argument, exclusive
 */
public record Backoff(long baseMillis, long maxMillis, LongUnaryOperator below) {

    private static final int MAX_DOUBLINGS = 30;

    /**
     * @param attempts that have failed, at least 1
     * @param askedMillis least pause that the target asked for, 0 for none
     */
    public long millis(int attempts, long askedMillis) {
        return Math.max(Math.min(askedMillis, maxMillis), below.applyAsLong(ceiling(attempts) + 1));
    }

    /** The longest pause after so many failures. */
    long ceiling(int attempts) {
        int doublings = Math.min(Math.max(0, attempts - 1), MAX_DOUBLINGS);
        return Math.min(maxMillis, baseMillis << doublings);
    }
}
