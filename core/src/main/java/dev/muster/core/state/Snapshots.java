package dev.muster.core.state;

import dev.muster.domain.JobBlock;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.JobSnapshot.InstanceSnapshot;
import dev.muster.domain.JobState;
import dev.muster.domain.NodeSnapshot;
import dev.muster.domain.PoolSnapshot;
import dev.muster.domain.RecoveryState.OpenIncident;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** State to snapshot and back. */
public final class Snapshots {

    private Snapshots() {}

    public static PoolSnapshot take(PoolState state) {
        List<JobSnapshot> jobs = new ArrayList<>(state.jobs.size());
        for (int job = state.jobs.first(); job != JobTable.NONE; job = state.jobs.after(job)) {
            jobs.add(job(state, job));
        }
        return around(state, jobs);
    }

    /** All but the jobs. */
    public static PoolSnapshot around(PoolState state) {
        return around(state, List.of());
    }

    private static PoolSnapshot around(PoolState state, List<JobSnapshot> jobs) {
        List<NodeSnapshot> nodes = new ArrayList<>(state.nodes.size());
        for (int node = 0; node < state.nodes.size(); node++) {
            nodes.add(node(state, node));
        }
        return new PoolSnapshot(
                state.pool(),
                state.seq.get(),
                state.nowMillis.get(),
                state.epoch.get(),
                state.shardEpoch.get(),
                jobs,
                nodes);
    }

    public static JobSnapshot job(PoolState state, int job) {
        JobTable jobs = state.jobs;
        JobEnd end = jobs.ends.get(job);
        int count = jobs.placements.get(job).size();
        List<InstanceSnapshot> instances = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            instances.add(InstanceWord.snapshot(jobs.word(job, index)));
        }
        return new JobSnapshot(
                jobs.asks.get(job),
                jobs.names.get(job),
                jobs.specHashes.get(job),
                jobs.submittedSeq.get(job),
                jobs.state(job),
                jobs.reasons.get(job),
                jobs.attempts.get(job),
                jobs.placements.get(job),
                instances,
                jobs.processStarts.get(job),
                end.cause(),
                end.message(),
                end.commandId(),
                end.requestedBy(),
                jobs.runningSince.get(job),
                jobs.ran.get(job),
                jobs.recoveries.get(job));
    }

    public static NodeSnapshot node(PoolState state, int node) {
        return new NodeSnapshot(
                state.nodes.ids.get(node),
                state.nodes.shapes.get(node),
                state.nodes.ready.get(node) != 0,
                state.nodes.cordoned.get(node) != 0);
    }

    /** A state without the jobs of the snapshot, which are to be added. */
    public static Loading begin(PoolSnapshot snapshot) {
        PoolState state = new PoolState(snapshot.pool());
        for (NodeSnapshot node : snapshot.nodes()) {
            state.nodes.declare(node.node(), node.shape(), node.ready());
            state.nodes.setCordoned(state.nodes.find(node.node()), node.cordoned());
        }
        state.seq.set(snapshot.seq());
        state.nowMillis.set(snapshot.nowMillis());
        state.epoch.set(snapshot.epoch());
        state.shardEpoch.set(snapshot.shardEpoch());
        return new Loading(state);
    }

    /** A state to which jobs are added in order of submission. */
    public static final class Loading implements JobBlock.Visitor {

        private final PoolState state;
        private final WaitClasses.Loader waiting;
        private JobBlock.@Nullable Tables tables;

        Loading(PoolState state) {
            this.state = state;
            this.waiting = state.waiting.new Loader();
        }

        public PoolState state() {
            return state;
        }

        public void add(JobBlock block) {
            tables = block.tables();
            block.visit(this);
        }

        @Override
        public void waiting(JobBlock.Columns columns, int from, int to) {
            JobBlock.Tables by = Objects.requireNonNull(tables);
            int first = state.jobs.loadWaiting(by, columns, from, to);
            waiting.add(first, by, columns, from, to);
        }

        @Override
        public void other(JobSnapshot job) {
            Snapshots.add(state, job);
        }
    }

    private static void add(PoolState state, JobSnapshot from) {
        JobTable jobs = state.jobs;
        int job = jobs.load(from);
        if (!from.placements().isEmpty()) {
            state.grants.take(job, from.placements(), false);
            loadInstances(jobs, job, from.instances());
            jobs.processStarts.set(job, from.processStart());
        }
        if (from.state() == JobState.QUEUED) {
            state.waiting.add(job);
        }
        if (from.state() == JobState.RUNNING) {
            state.startAutoStop(job);
        }
        OpenIncident open = from.recovery().open();
        if (open != null && open.awaitsVerdict()) {
            state.verdicts.start(job, open.verdictByMillis());
        }
    }

    private static void loadInstances(JobTable jobs, int job, List<InstanceSnapshot> instances) {
        for (int index = 0; index < instances.size(); index++) {
            InstanceSnapshot instance = instances.get(index);
            jobs.setWord(job, index, InstanceWord.of(instance));
            jobs.prepared.add(job, instance.prepared() ? 1 : 0);
            jobs.started.add(job, instance.startedProcess() > 0 ? 1 : 0);
            jobs.exited.add(job, instance.exitCode() >= 0 ? 1 : 0);
            jobs.gone.add(job, instance.gone() ? 1 : 0);
        }
    }
}
