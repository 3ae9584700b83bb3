package dev.muster.core.state;

import dev.muster.domain.Ask;
import dev.muster.domain.InvariantBroken;
import dev.muster.domain.JobBlock;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.JobState;
import dev.muster.domain.Placement;
import dev.muster.domain.RecoveryState;
import dev.muster.domain.WaitReason;

import java.util.Arrays;
import java.util.List;

/** Live jobs. A job that has ended leaves nothing behind. */
public final class JobTable {

    public static final int NONE = -1;

    private static final JobState[] STATES = JobState.values();
    private static final int[] NO_NODES = {};
    private static final long[] NO_WORDS = {};

    public final RefColumn<Ask> asks;
    public final RefColumn<String> names;
    public final RefColumn<String> specHashes;
    public final LongColumn submittedSeq;
    public final RefColumn<WaitReason> reasons;
    public final IntColumn attempts;
    public final IntColumn processStarts;
    public final RefColumn<JobEnd> ends;
    public final LongColumn runningSince;
    public final LongColumn ran;
    public final RefColumn<RecoveryState> recoveries;

    /** The live grant: one placement, node and word of counters per instance. */
    public final RefColumn<List<Placement>> placements;

    final RefColumn<int[]> nodes;
    private final RefColumn<long[]> words;

    /** Instances of the live grant that have come so far. */
    public final IntColumn prepared;

    public final IntColumn started;
    public final IntColumn exited;
    public final IntColumn gone;

    private final UndoLog undo;
    private final PairIndex byId;
    private final SlotAllocator slots;
    private final IntColumn states;
    private final IntColumn countByState;
    private final IntColumn older;
    private final IntColumn newer;
    private final LongCell oldest;
    private final LongCell newest;

    JobTable(UndoLog undo) {
        this.undo = undo;
        this.asks = new RefColumn<>(undo);
        this.names = new RefColumn<>(undo);
        this.specHashes = new RefColumn<>(undo);
        this.submittedSeq = new LongColumn(undo);
        this.reasons = new RefColumn<>(undo);
        this.attempts = new IntColumn(undo, 0);
        this.processStarts = new IntColumn(undo, 0);
        this.ends = new RefColumn<>(undo, JobEnd.NONE);
        this.runningSince = new LongColumn(undo);
        this.ran = new LongColumn(undo);
        this.recoveries = new RefColumn<>(undo, RecoveryState.NONE);
        this.placements = new RefColumn<>(undo, List.of());
        this.nodes = new RefColumn<>(undo, NO_NODES);
        this.words = new RefColumn<>(undo, NO_WORDS);
        this.prepared = new IntColumn(undo, 0);
        this.started = new IntColumn(undo, 0);
        this.exited = new IntColumn(undo, 0);
        this.gone = new IntColumn(undo, 0);
        this.byId = new PairIndex(undo);
        this.slots = new SlotAllocator(undo);
        this.states = new IntColumn(undo, NONE);
        this.countByState = new IntColumn(undo, 0);
        this.older = new IntColumn(undo, NONE);
        this.newer = new IntColumn(undo, NONE);
        this.oldest = new LongCell(undo);
        this.newest = new LongCell(undo);
    }

    /** The job's slot, {@link #NONE} if it does not live. */
    public int find(JobId job) {
        return byId.find(job.hi(), job.lo());
    }

    /** Makes room for this many jobs, so that nothing grows step by step while they are loaded. */
    void reserve(int count) {
        List<RefColumn<?>> refs =
                List.of(
                        asks,
                        names,
                        specHashes,
                        reasons,
                        ends,
                        recoveries,
                        placements,
                        nodes,
                        words);
        refs.forEach(each -> each.reserve(count));
        List<IntColumn> ints =
                List.of(
                        attempts,
                        processStarts,
                        prepared,
                        started,
                        exited,
                        gone,
                        states,
                        older,
                        newer);
        ints.forEach(each -> each.reserve(count));
        List.of(submittedSeq, runningSince, ran).forEach(each -> each.reserve(count));
        byId.reserve(count);
    }

    /** Lives in memory only, so a new state may take any place in the enum. */
    @SuppressWarnings("EnumOrdinal")
    static int number(JobState state) {
        return state.ordinal();
    }

    public int size() {
        return byId.size();
    }

    public int count(JobState state) {
        return countByState.get(number(state));
    }

    public JobState state(int job) {
        return STATES[states.get(job)];
    }

    /** The job submitted first of those alive, {@link #NONE} if there is none. */
    public int first() {
        return oldest.asInt() - 1;
    }

    /** The next one in order of submission. */
    public int after(int job) {
        return newer.get(job);
    }

    public long word(int job, int index) {
        return words.get(job)[index];
    }

    /** The gang's incarnation: all its instances are of the same one; 0 without a grant. */
    public int incarnation(int job) {
        long[] all = words.get(job);
        return all.length == 0 ? 0 : InstanceWord.incarnation(all[0]);
    }

    public int instances(int job) {
        return asks.get(job).instances();
    }

    /** Adds a job that is younger than all others. */
    int add(Ask ask, String name, String specHash, long seq) {
        int job = slots.take();
        byId.put(job, ask.job().hi(), ask.job().lo());
        asks.set(job, ask);
        names.set(job, name);
        specHashes.set(job, specHash);
        submittedSeq.set(job, seq);
        reasons.set(job, WaitReason.AWAITS_CYCLE);
        attempts.set(job, 0);
        ends.set(job, JobEnd.NONE);
        runningSince.set(job, 0);
        ran.set(job, 0);
        recoveries.set(job, RecoveryState.NONE);
        clearGrant(job);
        states.set(job, number(JobState.SUBMITTED));
        countByState.add(number(JobState.SUBMITTED), 1);
        append(job);
        return job;
    }

    /**
     * The same with what a snapshot knows, but for the grant. Slots of a table that is being loaded
     * are fresh: they hold the fill values.
     */
    int load(JobSnapshot from) {
        int job = slots.take();
        byId.put(job, from.ask().job().hi(), from.ask().job().lo());
        asks.set(job, from.ask());
        names.set(job, from.name());
        specHashes.set(job, from.specHash());
        submittedSeq.set(job, from.submittedSeq());
        reasons.set(job, from.reason());
        attempts.set(job, from.attempt());
        JobEnd end = JobEnd.of(from);
        if (!end.equals(JobEnd.NONE)) {
            ends.set(job, end);
        }
        runningSince.set(job, from.runningSinceMillis());
        ran.set(job, from.ranMillis());
        if (!from.recovery().equals(RecoveryState.NONE)) {
            recoveries.set(job, from.recovery());
        }
        states.set(job, number(from.state()));
        countByState.add(number(from.state()), 1);
        append(job);
        return job;
    }

    /**
     * Adds jobs of a snapshot that merely wait, column by column.
     *
     * @return the slot of the first one; the others follow it
     */
    int loadWaiting(JobBlock.Tables tables, JobBlock.Columns columns, int from, int to) {
        int count = to - from;
        int first = slots.takeRow(count);
        byId.load(first, columns.idsHigh(), columns.idsLow(), from, count);
        for (int i = 0; i < count; i++) {
            JobId id = new JobId(columns.idsHigh()[from + i], columns.idsLow()[from + i]);
            asks.set(first + i, tables.asks().get(columns.asks()[from + i]).forJob(id));
        }
        names.load(first, tables.names(), columns.names(), from, count);
        specHashes.load(first, tables.specHashes(), columns.specHashes(), from, count);
        reasons.load(first, tables.reasons(), columns.reasons(), from, count);
        submittedSeq.load(first, columns.submittedSeqs(), from, count);
        attempts.load(first, columns.attempts(), from, count);
        states.load(first, number(JobState.QUEUED), count);
        countByState.add(number(JobState.QUEUED), count);
        for (int i = 0; i < count; i++) {
            append(first + i);
        }
        return first;
    }

    private void append(int job) {
        int last = newest.asInt() - 1;
        older.set(job, last);
        newer.set(job, NONE);
        if (last == NONE) {
            oldest.set(job + 1L);
        } else {
            newer.set(last, job);
        }
        newest.set(job + 1L);
    }

    void remove(int job) {
        byId.remove(job);
        countByState.add(states.get(job), -1);
        states.set(job, NONE);
        asks.set(job, null);
        names.set(job, null);
        specHashes.set(job, null);
        int before = older.get(job);
        int behind = newer.get(job);
        if (before == NONE) {
            oldest.set(behind + 1L);
        } else {
            newer.set(before, behind);
        }
        if (behind == NONE) {
            newest.set(before + 1L);
        } else {
            older.set(behind, before);
        }
        slots.give(job);
    }

    void become(int job, JobState next) {
        JobState now = state(job);
        if (!now.mayBecome(next)) {
            throw new InvariantBroken(
                    "job " + asks.get(job).job() + " cannot become " + next + " from " + now);
        }
        countByState.add(states.get(job), -1);
        countByState.add(number(next), 1);
        states.set(job, number(next));
    }

    void beginGrant(int job, List<Placement> granted, int[] grantedNodes) {
        long[] fresh = new long[granted.size()];
        Arrays.fill(fresh, InstanceWord.FRESH);
        placements.set(job, granted);
        nodes.set(job, grantedNodes);
        words.set(job, fresh);
    }

    void clearGrant(int job) {
        placements.set(job, List.of());
        nodes.set(job, NO_NODES);
        words.set(job, NO_WORDS);
        processStarts.set(job, 0);
        prepared.set(job, 0);
        started.set(job, 0);
        exited.set(job, 0);
        gone.set(job, 0);
    }

    /** Every command starts anew in its container. */
    void restartProcesses(int job, int processStart) {
        for (int index = 0; index < words.get(job).length; index++) {
            setWord(job, index, InstanceWord.withStarted(word(job, index), 0));
        }
        processStarts.set(job, processStart);
        started.set(job, 0);
        exited.set(job, 0);
    }

    /** Every container is replaced. */
    void restartContainers(int job, int incarnation) {
        for (int index = 0; index < words.get(job).length; index++) {
            setWord(job, index, InstanceWord.reincarnated(word(job, index), incarnation));
        }
        processStarts.set(job, 0);
        prepared.set(job, 0);
        started.set(job, 0);
        exited.set(job, 0);
        gone.set(job, 0);
    }

    void setWord(int job, int index, long word) {
        long[] all = words.get(job);
        if (undo.active()) {
            undo.recordRef(restoreWord, index, all[index], all);
        }
        all[index] = word;
    }

    private final UndoLog.Target restoreWord =
            new UndoLog.Target() {
                @Override
                public void undo(int index, long old) {
                    ((long[]) java.util.Objects.requireNonNull(undo.popRef()))[index] = old;
                }
            };
}
