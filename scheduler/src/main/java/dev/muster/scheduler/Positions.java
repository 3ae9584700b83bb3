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

    /** Executors' lanes of epochs below it are passed whole. */
    private long shardEpoch;

    /**
     * @param byLane lane → n
     * @param shardEpoch of the pool's last executor
     */
    Positions(Map<String, Long> byLane, long shardEpoch) {
        this.byLane = new TreeMap<>(byLane);
        this.shardEpoch = shardEpoch;
    }

    Verdict take(LaneId lane, long n) {
        if (executorEpoch(lane.value()) < shardEpoch) {
            return Verdict.REPEAT;
        }
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
     * Forgets the lanes {@code executor/<id>/<pool>/<epoch>} of epochs below this one: their
     * reports are refused from now on, and the vector stays small.
     */
    void shardTaken(long newEpoch) {
        shardEpoch = newEpoch;
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
