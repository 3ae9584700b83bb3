package dev.muster.gateway;

import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.JobState;
import dev.muster.domain.NodeId;
import dev.muster.domain.NodeShape;
import dev.muster.domain.NodeSnapshot;
import dev.muster.domain.Placement;
import dev.muster.domain.PoolSnapshot;
import dev.muster.domain.WaitReason;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a run of events changes in the views: one change per job and node, however many events. */
final class ViewChanges {

    /** A job's row after the events; null means as it was. */
    static final class JobChange {
        @Nullable JobState state;

        /** What the row was before is not known here: it may be restarting. */
        boolean maybeRestarting;

        @Nullable WaitReason reason;
        @Nullable Integer attempt;
        @Nullable Long startedAtMillis;
        @Nullable Long endedAtMillis;
        @Nullable String cause;
        @Nullable String message;
        final List<Long> runs = new ArrayList<>();
        long lastSeq;

        /** It stays RESTARTING if the row says so. */
        boolean keepsRestarting() {
            return maybeRestarting && state == JobState.STARTING;
        }
    }

    /** A node's row after the events; without a shape it must be there already. */
    static final class NodeChange {
        @Nullable NodeShape shape;
        @Nullable Boolean ready;
        @Nullable Boolean cordoned;
    }

    /** Nodes of an attempt, in order of index. */
    record Granted(int attempt, List<String> nodes) {}

    private final Map<JobId, JobChange> jobs = new LinkedHashMap<>();
    private final Map<NodeId, NodeChange> nodes = new LinkedHashMap<>();
    private final Map<JobId, Granted> granted = new LinkedHashMap<>();
    private final Set<JobId> released = new HashSet<>();
    private final IncidentChanges incidents = new IncidentChanges();

    static ViewChanges of(List<StreamEvent> events) {
        ViewChanges changes = new ViewChanges();
        for (StreamEvent each : events) {
            Event event = each.event();
            if (event instanceof Event.OfJob ofJob) {
                changes.apply(ofJob, each.seq(), each.record().atMillis());
            } else if (event instanceof Event.OfNode ofNode) {
                changes.apply(ofNode);
            }
        }
        return changes;
    }

    /**
     * From a snapshot, for a journal that no longer reaches back to the views' position. Jobs that
     * ended in between are not in it: their rows stay as they were.
     */
    static ViewChanges of(PoolSnapshot snapshot) {
        ViewChanges changes = new ViewChanges();
        for (JobSnapshot each : snapshot.jobs()) {
            JobChange job = new JobChange();
            queued(job, each.state(), each.state() == JobState.QUEUED ? each.reason() : null);
            job.attempt = each.attempt();
            job.cause = each.endCause() == null ? null : each.endCause().name();
            job.message = each.endMessage();
            job.startedAtMillis = each.runningSinceMillis() == 0 ? null : each.runningSinceMillis();
            job.lastSeq = snapshot.seq();
            changes.incidents.apply(snapshot, each);
            changes.jobs.put(each.ask().job(), job);
            if (!each.placements().isEmpty()) {
                changes.granted.put(
                        each.ask().job(), new Granted(each.attempt(), nodesOf(each.placements())));
            }
        }
        for (NodeSnapshot each : snapshot.nodes()) {
            NodeChange node = new NodeChange();
            node.shape = each.shape();
            node.ready = each.ready();
            node.cordoned = each.cordoned();
            changes.nodes.put(each.node(), node);
        }
        return changes;
    }

    Map<JobId, JobChange> jobs() {
        return jobs;
    }

    Map<NodeId, NodeChange> nodes() {
        return nodes;
    }

    Map<JobId, Granted> granted() {
        return granted;
    }

    Set<JobId> released() {
        return released;
    }

    IncidentChanges incidents() {
        return incidents;
    }

    private void apply(Event.OfJob event, long seq, long atMillis) {
        JobChange job = jobs.computeIfAbsent(event.job(), _ -> new JobChange());
        if (job.runs.isEmpty() || seq >= job.runs.getLast() + JournalReader.RUN_SEQS) {
            job.runs.add(seq);
        }
        job.lastSeq = seq;
        switch (event) {
            case Event.JobQueued e -> queued(job, JobState.QUEUED, e.reason());
            case Event.JobWaiting e -> queued(job, JobState.QUEUED, e.reason());
            case Event.GangGranted e -> {
                queued(job, JobState.PREPARING, null);
                job.attempt = e.attempt();
                job.message = ""; // why it lost its last nodes
                granted.put(e.job(), new Granted(e.attempt(), nodesOf(e.placements())));
                released.remove(e.job());
            }
            case Event.JobStarting _ -> starting(job);
            case Event.JobStarted _ -> {
                job.state = JobState.RUNNING;
                job.startedAtMillis = atMillis;
            }
            case Event.JobFinishing e -> {
                job.state = JobState.FINISHING;
                if (e.cause() != null) {
                    job.cause = e.cause().name();
                    job.message = e.message();
                }
            }
            case Event.JobStopping e -> {
                job.state = JobState.STOPPING;
                job.message = e.reason();
            }
            case Event.GangReleased e -> {
                granted.remove(e.job());
                released.add(e.job());
            }
            case Event.JobSucceeded _ -> ended(job, JobState.SUCCEEDED, atMillis);
            case Event.JobFailed e -> {
                ended(job, JobState.FAILED, atMillis);
                job.cause = e.cause().name();
                job.message = e.message();
            }
            case Event.JobStopped e -> {
                ended(job, JobState.STOPPED, atMillis);
                job.message = e.reason();
            }
            case Event.OfRecovery e -> {
                recovery(job, atMillis, e);
                incidents.apply(e, seq, atMillis);
            }
            case Event.JobSubmitted _,
                    Event.InstancePrepared _,
                    Event.InstanceStarted _,
                    Event.InstanceExited _,
                    Event.InstanceGone _,
                    Event.NoticeRecorded _ -> {
                // their place is kept, and nothing of the row changes
            }
        }
    }

    private static final WaitReason NONE = WaitReason.AWAITS_CYCLE;

    private static void queued(JobChange job, JobState state, @Nullable WaitReason reason) {
        job.state = state;
        job.reason = reason == null ? NONE : reason;
    }

    private static void recovery(JobChange job, long atMillis, Event.OfRecovery event) {
        switch (event) {
            case Event.JobRestarting _ -> job.state = JobState.RESTARTING;
            case Event.JobRestarted _ -> {
                job.state = JobState.RUNNING;
                if (job.startedAtMillis == null) {
                    job.startedAtMillis = atMillis; // it was restarted before it ever ran
                }
            }
            case Event.JobPreempted e -> {
                job.state = JobState.PREEMPTED;
                job.message = e.reason();
            }
            case Event.JobHanged _,
                    Event.IncidentOpened _,
                    Event.VerdictAwaited _,
                    Event.IncidentClosed _,
                    Event.RecoveryReset _,
                    Event.EvidenceKept _ -> {
                // the job's row stays as it is
            }
        }
    }

    /** A job that restarts goes on doing so until every instance runs. */
    private static void starting(JobChange job) {
        if (job.state == null) {
            job.maybeRestarting = true;
        }
        if (job.state != JobState.RESTARTING) {
            job.state = JobState.STARTING;
        }
    }

    private static void ended(JobChange job, JobState state, long atMillis) {
        queued(job, state, null);
        job.endedAtMillis = atMillis;
    }

    private static List<String> nodesOf(List<Placement> placements) {
        return placements.stream().map(p -> p.node().value()).toList();
    }

    private void apply(Event.OfNode event) {
        NodeChange node = nodes.computeIfAbsent(event.node(), _ -> new NodeChange());
        switch (event) {
            case Event.NodeDeclared e -> {
                node.shape = e.shape();
                node.ready = e.ready();
            }
            case Event.NodeReadinessChanged e -> node.ready = e.ready();
            case Event.NodeCordoned _ -> node.cordoned = true;
            case Event.NodeUncordoned _ -> node.cordoned = false;
        }
    }
}
