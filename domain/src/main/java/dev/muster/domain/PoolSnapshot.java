package dev.muster.domain;

import java.util.List;

/**
 * A pool's whole state after the event {@code seq}: live jobs, grants and nodes. Finished jobs are
 * not part of it.
 *
 * @param nowMillis time of the last journal row
 * @param epoch of the last leader
 * @param shardEpoch of the last executor
 * @param jobs in order of submittedSeq
 * @param nodes in order of declaration
 */
public record PoolSnapshot(
        PoolId pool,
        long seq,
        long nowMillis,
        long epoch,
        long shardEpoch,
        List<JobSnapshot> jobs,
        List<NodeSnapshot> nodes) {

    public PoolSnapshot {
        jobs = List.copyOf(jobs);
        nodes = List.copyOf(nodes);
    }

    /** The same around other jobs. */
    public PoolSnapshot withJobs(List<JobSnapshot> others) {
        return new PoolSnapshot(pool, seq, nowMillis, epoch, shardEpoch, others, nodes);
    }
}
