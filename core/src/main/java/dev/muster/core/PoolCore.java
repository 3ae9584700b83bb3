package dev.muster.core;

import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.JobState;
import dev.muster.domain.NodeId;
import dev.muster.domain.PoolId;
import dev.muster.domain.PoolSnapshot;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The scheduling core of one pool: decides on inputs, folds events, and does nothing else. No I/O,
 * clock, randomness or unordered iteration: the same inputs give the same events in any JVM, and the
 * same events the same state.
 *
 * <p>The leader calls {@link #mark()}, {@link #decide}, appends the events to the journal, then
 * {@link #forget(int)}, or {@link #rollback(int)} when the append failed for certain. Follower,
 * recovery and replay call {@link #apply}. For one thread at a time.
 */
@SuppressWarnings("DoNotCallSuggester") // until the bodies follow
public final class PoolCore {

    private PoolCore() {}

    /** A pool without nodes and jobs at seq 0. */
    public static PoolCore empty(PoolId pool, CoreSettings settings) {
        throw new UnsupportedOperationException();
    }

    /**
     * @throws InvariantBroken if the snapshot contradicts itself
     */
    public static PoolCore load(PoolSnapshot snapshot, CoreSettings settings) {
        throw new UnsupportedOperationException();
    }

    /**
     * Decides on a batch and runs one cycle. The events are applied when this returns; their seqs
     * are the {@code events.size()} ones up to {@link #seq()}, their time is {@link #nowMillis()}.
     *
     * @param batch any inputs, a {@link Input.Tick} as the last and only there
     * @return empty only if the batch is a mere tick after which nothing happens (it is then not
     *     journalled)
     * @throws InvariantBroken if the state contradicts itself afterwards
     */
    public List<Event> decide(List<Input> batch) {
        throw new UnsupportedOperationException();
    }

    /**
     * Folds the events of one journal row.
     *
     * @param nowMillis time of the row
     * @throws InvariantBroken if an event contradicts the state
     */
    public void apply(long nowMillis, List<Event> events) {
        throw new UnsupportedOperationException();
    }

    /** Begins to keep what is needed to return to this state. Marks nest like parentheses. */
    public int mark() {
        throw new UnsupportedOperationException();
    }

    /** Returns to the state at the mark, which must be the latest one alive, and ends it. */
    public void rollback(int mark) {
        throw new UnsupportedOperationException();
    }

    /** Ends the latest mark alive and keeps what came after it. */
    public void forget(int mark) {
        throw new UnsupportedOperationException();
    }

    /** Seq of the last event, 0 before the first. */
    public long seq() {
        throw new UnsupportedOperationException();
    }

    /** Time of the last event. */
    public long nowMillis() {
        throw new UnsupportedOperationException();
    }

    /** Epoch of the last leader. */
    public long epoch() {
        throw new UnsupportedOperationException();
    }

    /** Epoch of the last executor shard owner. */
    public long shardEpoch() {
        throw new UnsupportedOperationException();
    }

    /** Whether a tick at an unchanged time would have work: the last cycle reached its budget. */
    public boolean moreToDo() {
        throw new UnsupportedOperationException();
    }

    /** When the next deadline expires, {@link Long#MAX_VALUE} if there is none. */
    public long nextDeadlineMillis() {
        throw new UnsupportedOperationException();
    }

    /** The live job, null once it has ended. */
    public @Nullable JobSnapshot job(JobId job) {
        throw new UnsupportedOperationException();
    }

    /** Live jobs in a state. */
    public int count(JobState state) {
        throw new UnsupportedOperationException();
    }

    /** Live jobs in order of submission. */
    public void forEachJob(Consumer<JobSnapshot> visitor) {
        throw new UnsupportedOperationException();
    }

    /** The node, null if it was never declared. */
    public @Nullable NodeUsage node(NodeId node) {
        throw new UnsupportedOperationException();
    }

    /** Nodes in order of declaration. */
    public void forEachNode(Consumer<NodeUsage> visitor) {
        throw new UnsupportedOperationException();
    }

    /** The whole state: what {@link #load} takes. */
    public PoolSnapshot snapshot() {
        throw new UnsupportedOperationException();
    }

    /** SHA-256 over the canonical binary form of the snapshot. */
    public byte[] stateHash() {
        throw new UnsupportedOperationException();
    }

    /**
     * Full audit: derives everything anew and compares. Costs time proportional to the state; cheap
     * checks run after every batch anyway.
     *
     * @throws InvariantBroken naming what does not hold
     */
    public void checkInvariants() {
        throw new UnsupportedOperationException();
    }

    /** Counts since this core was made, for metrics; not part of the state. */
    public CoreCounters counters() {
        throw new UnsupportedOperationException();
    }
}
