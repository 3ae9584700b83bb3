package dev.muster.notifier;

import java.util.function.LongUnaryOperator;

/**
 * Whether a target is worth a request: closed while it answers, open for a while after failures in
 * a row, then half open: one probe decides. Not thread-safe.
 */
public final class Circuit {

    /** In which way the circuit is. */
    public enum State {
        CLOSED,
        OPEN,
        HALF_OPEN
    }

    /**
     * When a circuit opens, and for how long.
     *
     * @param failures in a row that open it
     * @param baseMillis that it stays open at first, about
     * @param maxMillis that it stays open at most
     * @param below draws a number from 0 to its argument, exclusive
     */
    public record Rule(int failures, long baseMillis, long maxMillis, LongUnaryOperator below) {}

    private static final int MAX_DOUBLINGS = 30;

    private final Rule rule;
    private State state = State.CLOSED;
    private int failures;
    private int openings;
    private long openUntilMillis;

    public Circuit(Rule rule) {
        this.rule = rule;
    }

    public State state() {
        return state;
    }

    /** Whether it stayed open for its while and now waits for a probe. */
    public boolean halfOpen(long nowMillis) {
        if (state == State.OPEN && nowMillis >= openUntilMillis) {
            state = State.HALF_OPEN;
            return true;
        }
        return false;
    }

    /** Returns whether it was not closed before. */
    public boolean succeeded() {
        boolean closes = state != State.CLOSED;
        state = State.CLOSED;
        failures = 0;
        openings = 0;
        return closes;
    }

    /**
     * Returns whether it opens by this. An answer that comes late changes nothing while it is open.
     */
    public boolean failed(long nowMillis) {
        if (state == State.OPEN) {
            return false;
        }
        failures++;
        if (state == State.CLOSED && failures < rule.failures) {
            return false;
        }
        long whole = Math.min(rule.maxMillis, rule.baseMillis << Math.min(openings, MAX_DOUBLINGS));
        // between half and the whole, so that targets of one host do not open together
        openUntilMillis = nowMillis + whole / 2 + rule.below.applyAsLong(whole / 2 + 1);
        openings++;
        state = State.OPEN;
        return true;
    }

    int failures() {
        return failures;
    }
}
