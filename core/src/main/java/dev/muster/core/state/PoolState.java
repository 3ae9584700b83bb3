package dev.muster.core.state;

import dev.muster.domain.Event;
import dev.muster.domain.InvariantBroken;
import dev.muster.domain.PoolId;
import dev.muster.domain.RecoveryState;
import dev.muster.domain.RecoveryState.OpenIncident;

import java.util.Objects;

/** All that is true in a pool after its last event. */
public final class PoolState {

    private static final long MILLIS = 1000;

    public final UndoLog undo = new UndoLog();
    public final JobTable jobs = new JobTable(undo);
    public final NodeTable nodes = new NodeTable(undo);
    public final WaitClasses waiting = new WaitClasses(undo, jobs);

    /** When running jobs are stopped, of those that have a limit. */
    public final Deadlines autoStops = new Deadlines(undo, jobs);

    /** When exits are judged by their codes, of jobs that await a verdict. */
    public final Deadlines verdicts = new Deadlines(undo, jobs);

    public final LongCell seq = new LongCell(undo);
    public final LongCell nowMillis = new LongCell(undo);
    public final LongCell epoch = new LongCell(undo);
    public final LongCell shardEpoch = new LongCell(undo);

    /** Shape version of the pool at which the parked classes were found not to fit; memory only. */
    private final LongCell shapesSeen = new LongCell(undo);

    private final LongCell shapesDeclared = new LongCell(undo);

    final Grants grants = new Grants(undo, jobs, nodes);

    private final PoolId pool;
    private final JobFold jobFold = new JobFold(this);

    public PoolState(PoolId pool) {
        this.pool = pool;
    }

    public PoolId pool() {
        return pool;
    }

    /** Makes room for this many jobs. */
    public void reserve(int jobCount) {
        jobs.reserve(jobCount);
        waiting.reserve(jobCount);
    }

    /**
     * Makes the event true. The sole change of what is true.
     *
     * @throws InvariantBroken if it contradicts the state
     */
    public void apply(long now, Event event) {
        seq.add(1);
        nowMillis.set(now);
        switch (event) {
            case Event.OfJob ofJob -> jobFold.apply(ofJob);
            case Event.OfNode ofNode -> applyToNode(ofNode);
            case Event.LeaderTookOver e -> epoch.set(e.epoch());
            case Event.ShardOwned e -> shardEpoch.set(e.shardEpoch());
            case Event.OutageObserved e -> shiftClocks(e.fromMillis(), e.toMillis());
            case Event.CommandRefused ignored -> {}
            case Event.InputsAbsorbed ignored -> {}
        }
    }

    private void applyToNode(Event.OfNode event) {
        switch (event) {
            case Event.NodeDeclared e -> {
                nodes.declare(e.node(), e.shape(), e.ready());
                shapesDeclared.add(1);
            }
            case Event.NodeReadinessChanged e -> nodes.setReady(known(event), e.ready());
            case Event.NodeCordoned ignored -> nodes.setCordoned(known(event), true);
            case Event.NodeUncordoned ignored -> nodes.setCordoned(known(event), false);
        }
    }

    private int known(Event.OfNode event) {
        int node = nodes.find(event.node());
        if (node == NodeTable.NONE) {
            throw new InvariantBroken(event.type() + " of the unknown node " + event.node());
        }
        return node;
    }

    /** Running clocks stood still while we were away (S20). */
    private void shiftClocks(long from, long to) {
        for (int job = jobs.first(); job != JobTable.NONE; job = jobs.after(job)) {
            long since = jobs.runningSince.get(job);
            if (since != 0) {
                jobs.runningSince.set(job, since + Math.max(0, to - Math.max(from, since)));
            }
        }
        autoStops.restart(this::autoStopMillis);
        verdicts.restart(job -> shiftVerdict(job, from, to));
    }

    /** The monitor was away as well. */
    private long shiftVerdict(int job, long from, long to) {
        RecoveryState recovery = jobs.recoveries.get(job);
        OpenIncident open = Objects.requireNonNull(recovery.open());
        long until = open.verdictByMillis() + Math.max(0, to - from);
        jobs.recoveries.set(
                job,
                recovery.withOpen(
                        new OpenIncident(open.scenario(), open.tier(), open.message(), until)));
        return until;
    }

    /** When a running job has to stop, from its clocks alone. */
    long autoStopMillis(int job) {
        long limit = jobs.asks.get(job).autoStopSeconds() * MILLIS;
        return jobs.runningSince.get(job) + Math.max(0, limit - jobs.ran.get(job));
    }

    /** The job runs from now on. */
    void startClock(int job) {
        jobs.runningSince.set(job, nowMillis.get());
        startAutoStop(job);
    }

    /** The job does not run any more. */
    void stopClock(int job) {
        autoStops.stop(job);
        long since = jobs.runningSince.get(job);
        if (since != 0) {
            jobs.ran.add(job, Math.max(0, nowMillis.get() - since));
            jobs.runningSince.set(job, 0);
        }
    }

    /** Starts the deadline of a job that runs and has one. */
    void startAutoStop(int job) {
        if (jobs.asks.get(job).autoStopSeconds() > 0) {
            autoStops.start(job, autoStopMillis(job));
        }
    }

    // Memory about the state: the cycle keeps it.

    /** Whether the pool's shape has changed since the last {@link #shapesSeen()}. */
    public boolean shapeChanged() {
        return shapesSeen.get() != shapesDeclared.get();
    }

    public void shapesSeen() {
        shapesSeen.set(shapesDeclared.get());
    }

    /** Forgets which nodes gained room: every class that this could help is active now. */
    public void growthSeen() {
        nodes.grown.clear();
    }

    /**
     * What can be checked after every batch: costs the same whatever the size of the pool.
     *
     * @throws InvariantBroken if usage and grants differ (S15)
     */
    public void checkTotals() {
        grants.checkTotals();
    }
}
