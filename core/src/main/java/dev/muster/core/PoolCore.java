package dev.muster.core;

import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.Expire;
import dev.muster.core.fit.Capacity;
import dev.muster.core.fit.FitIndex;
import dev.muster.core.life.Commands;
import dev.muster.core.life.Reports;
import dev.muster.core.life.Tally;
import dev.muster.core.recovery.Endings;
import dev.muster.core.recovery.Recovery;
import dev.muster.core.state.Audit;
import dev.muster.core.state.Emission;
import dev.muster.core.state.JobTable;
import dev.muster.core.state.NodeTable;
import dev.muster.core.state.PoolState;
import dev.muster.core.state.Snapshots;
import dev.muster.domain.CanonicalSnapshot;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.JobBlock;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.JobState;
import dev.muster.domain.NodeId;
import dev.muster.domain.PoolId;
import dev.muster.domain.PoolSnapshot;
import dev.muster.domain.Report;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Consumer;

/**
 * The scheduling core of one pool: decides on inputs, folds events, and does nothing else. No I/O,
 * clock, randomness or unordered iteration: the same inputs give the same events in any JVM, and
 * the same events the same state.
 *
 * <p>The leader calls {@link #mark()}, {@link #decide}, appends the events to the journal, then
 * {@link #forget(int)}, or {@link #rollback(int)} when the append failed for certain. Follower,
 * recovery and replay call {@link #apply}. For one thread at a time. After an exception the state
 * is worth nothing: load it anew.
 */
public final class PoolCore {

    private final PoolState state;
    private final FitIndex fits;
    private final Tally tally = new Tally();
    private final Commands commands;
    private final Reports reports;
    private final Cycle cycle;
    private long decided;

    private PoolCore(PoolState state, CoreSettings settings) {
        this.state = state;
        this.fits = new FitIndex(state.nodes, settings.liveSignatures());
        Capacity capacity = new Capacity(state.nodes.byShape, "pool " + state.pool());
        Endings endings = new Endings(state);
        Recovery recovery = new Recovery(state, settings.recovery(), endings);
        this.commands = new Commands(state, capacity, recovery, endings, tally);
        this.reports = new Reports(state, recovery, endings, tally);
        Expire expire = new Expire(state, recovery, endings);
        this.cycle = new Cycle(state, fits, capacity, expire, settings.cycleEventBudget());
    }

    /** A pool without nodes and jobs at seq 0. */
    public static PoolCore empty(PoolId pool, CoreSettings settings) {
        return new PoolCore(new PoolState(pool), settings);
    }

    /**
     * @throws dev.muster.domain.InvariantBroken if the snapshot contradicts itself
     */
    public static PoolCore load(PoolSnapshot snapshot, CoreSettings settings) {
        Loading loading = loading(snapshot, settings);
        loading.add(JobBlock.of(snapshot.jobs()));
        PoolCore core = loading.end();
        core.checkInvariants();
        return core;
    }

    /**
     * Begins to load a state whose jobs are given piece by piece; those of the snapshot are not.
     */
    public static Loading loading(PoolSnapshot around, CoreSettings settings) {
        return new Loading(Snapshots.begin(around), settings);
    }

    /** A state that is being loaded. */
    public static final class Loading {

        private final Snapshots.Loading loading;
        private final CoreSettings settings;

        private Loading(Snapshots.Loading loading, CoreSettings settings) {
            this.loading = loading;
            this.settings = settings;
        }

        /** Makes room for them and for some more, so that the tables need not grow step by step. */
        public void expect(int jobs) {
            loading.state().reserve(jobs + jobs / 8);
        }

        /**
         * Adds jobs in order of submission.
         *
         * @throws dev.muster.domain.InvariantBroken if they contradict what was loaded before
         */
        public void add(JobBlock jobs) {
            loading.add(jobs);
        }

        /**
         * The core, whose totals are checked; {@link #checkInvariants} checks the rest, and takes
         * its time.
         */
        public PoolCore end() {
            loading.state().checkTotals();
            return new PoolCore(loading.state(), settings);
        }
    }

    /**
     * Decides on a batch and runs one cycle. The events are applied when this returns; their seqs
     * are the {@code events.size()} ones up to {@link #seq()}, their time is {@link #nowMillis()}.
     *
     * @param batch any inputs, a {@link Input.Tick} as the last and only there
     * @return empty only if the batch is a mere tick after which nothing happens (it is then not
     *     journalled)
     * @throws dev.muster.domain.InvariantBroken if the state contradicts itself afterwards
     */
    public List<Event> decide(List<Input> batch) {
        if (batch.isEmpty() || !(batch.getLast() instanceof Input.Tick tick)) {
            throw new IllegalArgumentException("a batch ends with a tick");
        }
        Emission out = new Emission(state, Math.max(tick.nowMillis(), state.nowMillis.get()));
        int inputs = batch.size() - 1;
        for (int i = 0; i < inputs; i++) {
            decide(batch.get(i), out);
        }
        cycle.run(out);
        if (out.size() == 0 && inputs > 0) {
            out.emit(new Event.InputsAbsorbed(inputs));
        }
        state.checkTotals();
        decided += out.size();
        return out.events();
    }

    private void decide(Input input, Emission out) {
        switch (input) {
            case Input.Tick ignored ->
                    throw new IllegalArgumentException("a batch has one tick, its last input");
            case Input.Delivered delivered -> {
                switch (delivered.message()) {
                    case Command command -> commands.decide(command, out);
                    case Report report -> reports.decide(report, out);
                }
            }
            case Input.LeaderElected e -> {
                if (e.epoch() > state.epoch.get()) {
                    out.emit(new Event.LeaderTookOver(e.epoch(), e.leader(), e.codeVersion()));
                }
            }
            case Input.OutageEnded e -> {
                if (e.toMillis() > e.fromMillis()) {
                    out.emit(new Event.OutageObserved(e.fromMillis(), e.toMillis()));
                }
            }
        }
    }

    /**
     * Folds the events of one journal row.
     *
     * @param nowMillis time of the row
     * @throws dev.muster.domain.InvariantBroken if an event contradicts the state
     */
    public void apply(long nowMillis, List<Event> events) {
        for (int i = 0; i < events.size(); i++) {
            state.apply(nowMillis, events.get(i));
        }
        state.checkTotals();
    }

    /** Begins to keep what is needed to return to this state. Marks nest like parentheses. */
    public int mark() {
        return state.undo.mark();
    }

    /** Returns to the state at the mark, which must be the latest one alive, and ends it. */
    public void rollback(int mark) {
        state.undo.rollback(mark);
    }

    /** Ends the latest mark alive and keeps what came after it. */
    public void forget(int mark) {
        state.undo.forget(mark);
    }

    public PoolId pool() {
        return state.pool();
    }

    /** Seq of the last event, 0 before the first. */
    public long seq() {
        return state.seq.get();
    }

    /** Time of the last event, in milliseconds since 1970. */
    public long nowMillis() {
        return state.nowMillis.get();
    }

    /** Epoch of the last leader. */
    public long epoch() {
        return state.epoch.get();
    }

    /** Epoch of the last executor that owned the shard. */
    public long shardEpoch() {
        return state.shardEpoch.get();
    }

    /** Whether a tick at an unchanged time would find work: the last cycle reached its budget. */
    public boolean moreToDo() {
        return cycle.moreToDo();
    }

    /** When the next deadline expires, {@link Long#MAX_VALUE} if there is none. */
    public long nextDeadlineMillis() {
        return Math.min(state.autoStops.firstMillis(), state.verdicts.firstMillis());
    }

    /**
     * When an exit is judged without the monitor's word, {@link Long#MAX_VALUE} if none awaits it.
     */
    public long nextVerdictMillis() {
        return state.verdicts.firstMillis();
    }

    /** The live job, null once it has ended. */
    public @Nullable JobSnapshot job(JobId job) {
        int slot = state.jobs.find(job);
        return slot == JobTable.NONE ? null : Snapshots.job(state, slot);
    }

    /** Live jobs in a state. */
    public int count(JobState jobState) {
        return state.jobs.count(jobState);
    }

    /** Live jobs in order of submission. */
    public void forEachJob(Consumer<JobSnapshot> visitor) {
        for (int job = state.jobs.first(); job != JobTable.NONE; job = state.jobs.after(job)) {
            visitor.accept(Snapshots.job(state, job));
        }
    }

    /** Live jobs whose latest incident is not closed, in order of submission. */
    public void forEachJobInIncident(Consumer<JobSnapshot> visitor) {
        for (int job = state.jobs.first(); job != JobTable.NONE; job = state.jobs.after(job)) {
            if (state.jobs.recoveries.get(job).open() != null) {
                visitor.accept(Snapshots.job(state, job));
            }
        }
    }

    /** The node, null if it was never declared. */
    public @Nullable NodeUsage node(NodeId node) {
        int slot = state.nodes.find(node);
        return slot == NodeTable.NONE ? null : NodeUsage.of(state, slot);
    }

    /** Nodes in order of declaration. */
    public void forEachNode(Consumer<NodeUsage> visitor) {
        for (int node = 0; node < state.nodes.size(); node++) {
            visitor.accept(NodeUsage.of(state, node));
        }
    }

    /** The whole state: what {@link #load} takes. */
    public PoolSnapshot snapshot() {
        return Snapshots.take(state);
    }

    /** The whole state but its jobs, which {@link #forEachJob} gives: for states of any size. */
    public PoolSnapshot around() {
        return Snapshots.around(state);
    }

    /** Live jobs. */
    public int jobs() {
        return state.jobs.size();
    }

    /** SHA-256 over the canonical binary form of the snapshot. */
    public byte[] stateHash() {
        CanonicalSnapshot hash = CanonicalSnapshot.of(around(), jobs());
        forEachJob(hash::add);
        return hash.end();
    }

    /**
     * Full audit: derives everything anew and compares. Costs time proportional to the state; cheap
     * checks run after every batch anyway.
     *
     * @throws dev.muster.domain.InvariantBroken naming what does not hold
     */
    public void checkInvariants() {
        new Audit(state).run();
        fits.audit();
        cycle.audit();
    }

    /** Counts since this core was made, for metrics; not part of the state. */
    public CoreCounters counters() {
        return new CoreCounters(
                decided,
                tally.staleCount(),
                tally.repeatedCount(),
                tally.illegalCount(),
                cycle.attempts());
    }
}
