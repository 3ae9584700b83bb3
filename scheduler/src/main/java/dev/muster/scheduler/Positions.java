package dev.muster.scheduler;

import dev.muster.domain.LaneId;
import java.util.Map;
import java.util.TreeMap;

/**
 * The pool's input position: a vector lane → n. What it has passed counts as delivered, whatever
 * Kafka's offsets say. Sorted, so that its text is the same in any JVM.
 */
final class Positions {

    /** What is to be done with a record of a lane. */
    enum Verdict {
        /** The next one: it is taken and the position has moved. */
        TAKEN,
        /** Passed already. */
        REPEAT,
        /** One before it is missing: dropped, the producer sends from the position again. */
        GAP
    }

    private final TreeMap<String, Long> byLane;

    private Positions(TreeMap<String, Long> byLane) {
        this.byLane = byLane;
    }

    static Positions of(Map<String, Long> byLane) {
        return new Positions(new TreeMap<>(byLane));
    }

    Verdict take(LaneId lane, long n) {
        long passed = byLane.getOrDefault(lane.value(), 0L);
        if (n <= passed) {
            return Verdict.REPEAT;
        }
        if (n > passed + 1) {
            return Verdict.GAP;
        }
        byLane.put(lane.value(), n);
        return Verdict.TAKEN;
    }

    /**
     * Forgets the lanes {@code executor/<id>/<pool>/<epoch>} of epochs below this one: their reports
     * are ignored from now on, and the vector stays small.
     */
    void pruneExecutorsBelow(long shardEpoch) {
        byLane.keySet().removeIf(lane -> executorEpoch(lane) < shardEpoch);
    }

    private static long executorEpoch(String lane) {
        if (!lane.startsWith("executor/")) {
            return Long.MAX_VALUE;
        }
        try {
            return Long.parseLong(lane.substring(lane.lastIndexOf('/') + 1));
        } catch (NumberFormatException e) {
            return Long.MAX_VALUE;
        }
    }

    Map<String, Long> copy() {
        return new TreeMap<>(byLane);
    }
}
