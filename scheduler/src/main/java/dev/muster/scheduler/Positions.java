package dev.muster.scheduler;

import dev.muster.domain.LaneId;

import java.util.Map;
import java.util.TreeMap;

/**
 * The pool's input position: a vector lane → n. What it has passed counts as delivered, whatever
 * Kafka's offsets say. Sorted, so that its text is the same in any JVM.
 */
public final class Positions {

    /** What is to be done with a record of a lane. */
    public enum Verdict {
        /** The next one: it is taken and the position has moved. */
        TAKEN,
        /** Passed already. */
        REPEAT,
        /** One before it is missing: dropped, the producer sends from the position again. */
        GAP
    }

    private static final String EXECUTOR = "executor/";
    private static final String MONITOR = "monitor/";

    /** Of a lane that is numbered for ever, not by an epoch. */
    private static final long NO_EPOCH = Long.MAX_VALUE;

    private final TreeMap<String, Long> byLane;

    /** Executors' lanes of epochs below it are passed whole. */
    private long shardEpoch;

    /** Monitors' lanes of epochs below it, too. */
    private long monitorEpoch;

    /**
     * @param byLane lane → n
     * @param shardEpoch of the pool's last executor
     */
    public Positions(Map<String, Long> byLane, long shardEpoch) {
        this.byLane = new TreeMap<>(byLane);
        this.shardEpoch = shardEpoch;
        this.monitorEpoch =
                byLane.keySet().stream()
                        .mapToLong(lane -> epoch(MONITOR, lane))
                        .filter(epoch -> epoch != NO_EPOCH)
                        .max()
                        .orElse(0);
    }

    public Verdict take(LaneId lane, long n) {
        if (epoch(EXECUTOR, lane.value()) < shardEpoch
                || epoch(MONITOR, lane.value()) < monitorEpoch) {
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
        monitorSpoke(lane.value());
        return Verdict.TAKEN;
    }

    /**
     * Forgets the lanes {@code executor/<id>/<pool>/<epoch>} of epochs below this one: their
     * reports are refused from now on, and the vector stays small.
     */
    public void shardTaken(long newEpoch) {
        shardEpoch = newEpoch;
        byLane.keySet().removeIf(lane -> epoch(EXECUTOR, lane) < shardEpoch);
    }

    /** The same for {@code monitor/<id>/<pool>/<epoch>}: its newest lane is the only one. */
    private void monitorSpoke(String spoken) {
        long epoch = epoch(MONITOR, spoken);
        if (epoch != NO_EPOCH && epoch > monitorEpoch) {
            monitorEpoch = epoch;
            byLane.keySet().removeIf(lane -> epoch(MONITOR, lane) < monitorEpoch);
        }
    }

    private static long epoch(String kind, String lane) {
        if (!lane.startsWith(kind)) {
            return NO_EPOCH;
        }
        try {
            return Long.parseLong(lane.substring(lane.lastIndexOf('/') + 1));
        } catch (NumberFormatException e) {
            return NO_EPOCH;
        }
    }

    public Map<String, Long> copy() {
        return new TreeMap<>(byLane);
    }
}
