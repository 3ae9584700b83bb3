package dev.muster.monitor;

import dev.muster.platform.kafka.ProgressRecord.Signal;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The rule of S4: a job hangs when the logs of all its workers have been silent for longer than the
 * job's threshold, after its startup window. Only silence that was seen counts: where signals are
 * missing, nothing is concluded, so that an outage of ours is never a hang of theirs. Times are
 * durations that the agent took by a monotonic clock; no wall clock is involved.
 */
final class HangDetector {

    /**
     * A gang that hangs.
     *
     * @param silentMillis the shortest silence in it
     * @param thresholdMillis of the job
     */
    record Hang(long silentMillis, long thresholdMillis) {

        String message() {
            return "no instance has written to its log for %s s (threshold %s s)"
                    .formatted(
                            TimeUnit.MILLISECONDS.toSeconds(silentMillis),
                            TimeUnit.MILLISECONDS.toSeconds(thresholdMillis));
        }
    }

    private HangDetector() {}

    static Optional<Hang> look(LiveJob job) {
        long threshold = TimeUnit.SECONDS.toMillis(job.ask().watch().hangSilenceSeconds());
        if (threshold == 0 || !job.runs()) {
            return Optional.empty();
        }
        long startup = TimeUnit.SECONDS.toMillis(job.ask().watch().startupSeconds());
        long shortest = Long.MAX_VALUE;
        for (LiveInstance each : job.instances()) {
            if (!each.runs()) {
                continue; // it has nothing to write any more
            }
            Signal signal = each.signal();
            if (signal == null || signal.runMillis() < startup) {
                return Optional.empty();
            }
            shortest = Math.min(shortest, signal.silentMillis());
        }
        return shortest >= threshold && shortest != Long.MAX_VALUE
                ? Optional.of(new Hang(shortest, threshold))
                : Optional.empty();
    }
}
