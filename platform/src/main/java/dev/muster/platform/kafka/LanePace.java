package dev.muster.platform.kafka;

/**
 * When and how much of a lane is published again. A pool that is merely slow is not flooded:
 * repeats come ever later while nothing moves, and begin small; where a repeat was what was
 * missing, the next one is larger. Not thread-safe.
 */
final class LanePace {

    private static final int FIRST_ENTRIES = 512;
    private static final int MAX_ENTRIES = 1 << 16;
    private static final int MAX_FACTOR = 16;

    private final long intervalNanos;
    private long movedAtNanos;
    private long repeatedAtNanos;
    private long pausedUntilNanos;
    private int factor = 1;
    private int entries = FIRST_ENTRIES;
    private long repeatEnd;

    LanePace(long intervalNanos, long nowNanos) {
        this.intervalNanos = intervalNanos;
        this.movedAtNanos = nowNanos;
        this.repeatedAtNanos = nowNanos;
        this.pausedUntilNanos = nowNanos;
    }

    /** Something waits for the journal from now on. */
    void began(long nowNanos) {
        movedAtNanos = nowNanos;
    }

    /** The journal's position moved. */
    void moved(long position, long last, long nowNanos) {
        movedAtNanos = nowNanos;
        factor = 1;
        if (position >= last) {
            entries = FIRST_ENTRIES;
        } else if (repeatEnd > 0 && position >= repeatEnd) {
            entries = Math.min(entries * 2, MAX_ENTRIES);
        }
        repeatEnd = 0;
    }

    /** Whether the position is worth asking for. */
    boolean quiet(long nowNanos) {
        return nowNanos - movedAtNanos > intervalNanos;
    }

    boolean repeatDue(long nowNanos) {
        return !paused(nowNanos)
                && nowNanos - movedAtNanos > intervalNanos * factor
                && nowNanos - repeatedAtNanos > intervalNanos * factor;
    }

    /** Entries of the next repeat. */
    int entries() {
        return entries;
    }

    void repeated(long end, long nowNanos) {
        repeatEnd = end;
        repeatedAtNanos = nowNanos;
        factor = Math.min(factor * 2, MAX_FACTOR);
    }

    /** Kafka or the table is in trouble: nothing is sent for one interval. */
    void pause(long nowNanos) {
        pausedUntilNanos = nowNanos + intervalNanos;
    }

    /** Trouble that only a person ends. */
    void pauseLong(long nowNanos) {
        pausedUntilNanos = nowNanos + intervalNanos * MAX_FACTOR;
    }

    boolean paused(long nowNanos) {
        return nowNanos - pausedUntilNanos < 0;
    }
}
