package dev.muster.domain;

/**
 * An observation of an executor. Reports repeat until the fact returns, so each of them may arrive
 * any number of times; one whose shard epoch or counters are old is ignored.
 */
public sealed interface Report extends Message {

    /** Epoch of the executor's shard lease: an older owner's reports are refused. */
    long shardEpoch();

    /** An executor took the shard over; it will report anew all that it sees. */
    record ShardTaken(long shardEpoch, String executor) implements Report {}

    record NodeObserved(long shardEpoch, NodeId node, NodeShape shape, boolean ready)
            implements Report {}

    /** Code and inputs of the instance are in place. */
    record InstancePrepared(long shardEpoch, InstanceRef instance) implements Report {}

    /**
     * The command was executed.
     *
     * @param processStart number of the process start within the incarnation, from 1
     */
    record InstanceStarted(long shardEpoch, InstanceRef instance, int processStart)
            implements Report {}

    /**
     * The command ended.
     *
     * @param exitCode 0 to 255; 128 + n when signal n ended it
     */
    record InstanceExited(long shardEpoch, InstanceRef instance, int processStart, int exitCode)
            implements Report {}

    /** Something other than the command failed; the attempt cannot go on. */
    record InstanceFailed(long shardEpoch, InstanceRef instance, FailureCause cause, String message)
            implements Report {}

    /**
     * Nothing of the instance is left but its files, of earlier incarnations neither: its claim on
     * the node may be given back.
     */
    record InstanceGone(long shardEpoch, InstanceRef instance) implements Report {}

    /**
     * What an instance was doing when it hung or broke was carried out. May come after the counters
     * have moved on; accepted while the attempt lives.
     *
     * @param incident within the job, from 1
     * @param location in the object store
     */
    record EvidenceKept(
            long shardEpoch, InstanceRef instance, int processStart, int incident, String location)
            implements Report {}

    /** A remark of the agent for the job's history, such as an output over its limit. */
    record NoticeRaised(long shardEpoch, InstanceRef instance, Level level, String message)
            implements Report {}
}
