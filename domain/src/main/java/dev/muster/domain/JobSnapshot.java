package dev.muster.domain;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A live job as the core knows it.
 *
 * @param submittedSeq seq of its JobSubmitted: its age among equal priorities
 * @param attempt 0 before the first grant
 * @param placements of the live grant, empty without one
 * @param instances one per placement, in order of index
 * @param processStart that every instance is to reach, 0 before JobStarting
 * @param endCause of a finishing job that will fail
 * @param endMessage of that cause, or the reason of a stopping job
 * @param endCommandId of the command that stops it
 * @param runningSinceMillis of the current attempt, 0 when it does not run
 * @param ranMillis running time of earlier attempts (counts for auto-stop)
 * @param recovery its incidents and restarts
 */
public record JobSnapshot(
        Ask ask,
        String name,
        String specHash,
        long submittedSeq,
        JobState state,
        WaitReason reason,
        int attempt,
        List<Placement> placements,
        List<InstanceSnapshot> instances,
        int processStart,
        @Nullable FailureCause endCause,
        String endMessage,
        String endCommandId,
        String endRequestedBy,
        long runningSinceMillis,
        long ranMillis,
        RecoveryState recovery) {

    public JobSnapshot {
        placements = List.copyOf(placements);
        instances = List.copyOf(instances);
        // absent in what was written before there were restarts
        recovery = recovery == null ? RecoveryState.NONE : recovery;
    }

    /**
     * Counters of an instance.
     *
     * @param exitCode of the process start, −1 while it has none
     * @param evidence whether that of the latest incident is kept
     */
    public record InstanceSnapshot(
            int incarnation,
            boolean prepared,
            int startedProcess,
            int exitCode,
            boolean gone,
            boolean evidence) {}
}
