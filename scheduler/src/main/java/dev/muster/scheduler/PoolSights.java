package dev.muster.scheduler;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What was seen of pools that another scheduler should lead; says when to give one up. */
final class PoolSights {

    private static final int LOOKS = 3;

    /** Longer than a scheduler that died stays in the directory. */
    static final long LONGEST_DEAD_NANOS = TimeUnit.SECONDS.toNanos(7);

    private static final int MOST_DOUBLINGS = 8;

    /**
     * @param times in a row that it was to be the other one's
     */
    private record Sight(String other, int times, long sinceNanos) {}

    private final Map<String, Sight> seen = new TreeMap<>();

    /** It is where it should be, or not ours to give. */
    void forget(String pool) {
        seen.remove(pool);
    }

    /**
     * Another look finds that a pool should be another scheduler's.
     *
     * @param unwanted how often in a row it was given up and nobody took it: each time it is kept
     *     twice as long as before
     * @return whether to give it up now
     */
    boolean due(String pool, String other, int unwanted, long nowNanos) {
        Sight last = seen.get(pool);
        Sight sight =
                last != null && last.other().equals(other)
                        ? new Sight(other, last.times() + 1, last.sinceNanos())
                        : new Sight(other, 1, nowNanos);
        int doublings = Math.min(unwanted, MOST_DOUBLINGS);
        boolean due =
                sight.times() >= LOOKS << doublings
                        && nowNanos - sight.sinceNanos() >= LONGEST_DEAD_NANOS << doublings;
        if (due) {
            seen.remove(pool);
        } else {
            seen.put(pool, sight);
        }
        return due;
    }
}
