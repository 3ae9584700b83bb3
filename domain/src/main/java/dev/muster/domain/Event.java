package dev.muster.domain;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A fact of a pool, written by its scheduler alone. An event carries outcomes, so that applying it
 * never decides. Its simple class name is its name in code, on the wire, in logs and documents.
 */
public sealed interface Event {

    /** Who may see an event. */
    enum Visibility {
        PUBLIC,
        OPERATOR,
        INTERNAL
    }

    /** The event's name everywhere. */
    default String type() {
        return getClass().getSimpleName();
    }

    default Visibility visibility() {
        return switch (this) {
            case OfJob ignored -> Visibility.PUBLIC;
            case OfNode ignored -> Visibility.OPERATOR;
            case CommandRefused ignored -> Visibility.OPERATOR;
            case OutageObserved ignored -> Visibility.OPERATOR;
            case LeaderTookOver ignored -> Visibility.OPERATOR;
            case ShardOwned ignored -> Visibility.INTERNAL;
            case InputsAbsorbed ignored -> Visibility.INTERNAL;
        };
    }

    /** A fact about one job. */
    sealed interface OfJob extends Event {
        JobId job();

        ProjectId project();
    }

    /** A fact about a job's incidents and restarts. */
    sealed interface OfRecovery extends OfJob {
        int attempt();
    }

    /** A fact about one node; it belongs to no project. */
    sealed interface OfNode extends Event {
        NodeId node();
    }

    /** The first fact of every job. */
    record JobSubmitted(Ask ask, String name, String specHash, long acceptedAtMillis)
            implements OfJob {
        @Override
        public JobId job() {
            return ask.job();
        }

        @Override
        public ProjectId project() {
            return ask.project();
        }
    }

    record JobQueued(JobId job, ProjectId project, WaitReason reason) implements OfJob {}

    /** The reason for which a queued job waits changed its kind. */
    record JobWaiting(JobId job, ProjectId project, WaitReason reason) implements OfJob {}

    /** The whole gang has its nodes; preparation begins. */
    record GangGranted(JobId job, ProjectId project, int attempt, List<Placement> placements)
            implements OfJob {
        public GangGranted {
            placements = List.copyOf(placements);
        }
    }

    record InstancePrepared(JobId job, ProjectId project, int attempt, int index, int incarnation)
            implements OfJob {}

    /** All instances are prepared: each is to reach this process start. */
    record JobStarting(JobId job, ProjectId project, int attempt, int processStart)
            implements OfJob {}

    record InstanceStarted(
            JobId job, ProjectId project, int attempt, int index, int incarnation, int processStart)
            implements OfJob {}

    /** All instances run. */
    record JobStarted(JobId job, ProjectId project, int attempt) implements OfJob {}

    record InstanceExited(
            JobId job,
            ProjectId project,
            int attempt,
            int index,
            int incarnation,
            int processStart,
            int exitCode)
            implements OfJob {}

    /** A remark for the job's history; {@code index} −1 means the whole job. */
    record NoticeRecorded(
            JobId job, ProjectId project, int attempt, int index, Level level, String message)
            implements OfJob {}

    /**
     * The command's part is over; outputs are carried out a last time.
     *
     * @param cause null when the job will succeed
     */
    record JobFinishing(
            JobId job, ProjectId project, int attempt, @Nullable FailureCause cause, String message)
            implements OfJob {}

    /** The job is to stop: commands end, outputs are carried out. */
    record JobStopping(
            JobId job,
            ProjectId project,
            int attempt,
            String commandId,
            String requestedBy,
            String reason)
            implements OfJob {}

    record InstanceGone(JobId job, ProjectId project, int attempt, int index, int incarnation)
            implements OfJob {}

    /** Every instance of the attempt is gone and its nodes are free again. */
    record GangReleased(JobId job, ProjectId project, int attempt) implements OfJob {}

    record JobSucceeded(JobId job, ProjectId project, int attempt) implements OfJob {}

    record JobFailed(JobId job, ProjectId project, int attempt, FailureCause cause, String message)
            implements OfJob {}

    /** Stopped by a user, an operator or the job's own auto-stop; attempt 0: it never had one. */
    record JobStopped(
            JobId job,
            ProjectId project,
            int attempt,
            String commandId,
            String requestedBy,
            String reason)
            implements OfJob {}

    /** The job is hung, whatever follows. */
    record JobHanged(
            JobId job,
            ProjectId project,
            int attempt,
            String commandId,
            int incident,
            String message)
            implements OfRecovery {}

    /**
     * Something went wrong.
     *
     * @param incident counts from 1 within the job
     * @param instances concerned, by index
     * @param nodes of those instances, each once
     */
    record IncidentOpened(
            JobId job,
            ProjectId project,
            int attempt,
            int incident,
            Scenario scenario,
            List<Integer> instances,
            List<NodeId> nodes,
            String message)
            implements OfRecovery {
        public IncidentOpened {
            instances = List.copyOf(instances);
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * An exit is being classified; without the monitor's word it is judged by its code alone.
     *
     * @param untilMillis when that is
     * @param message the exit in words
     */
    record VerdictAwaited(
            JobId job,
            ProjectId project,
            int attempt,
            int incident,
            long untilMillis,
            String message)
            implements OfRecovery {}

    /**
     * The gang is to reach these counters: PROCESS the next process start at once; CONTAINER the
     * next incarnation, whose process start comes with {@link JobStarting} when all are prepared;
     * JOB the counters stay, every instance ends and the gang queues again. The same incident may
     * be tried a second time, by a higher tier.
     *
     * @param spent what is used of the budgets with this restart
     */
    record JobRestarting(
            JobId job,
            ProjectId project,
            int attempt,
            int incident,
            Tier tier,
            Scenario scenario,
            int incarnation,
            int processStart,
            Spent spent)
            implements OfRecovery {}

    /** Every instance runs again: the incident is closed with success. */
    record JobRestarted(JobId job, ProjectId project, int attempt, int incident, Tier tier)
            implements OfRecovery {}

    /** The incident ended in any other way. */
    record IncidentClosed(
            JobId job,
            ProjectId project,
            int attempt,
            int incident,
            RecoveryResult result,
            String message)
            implements OfRecovery {}

    /** After progress for a whole window, budgets in a row and the ladder of tiers start anew. */
    record RecoveryReset(JobId job, ProjectId project, int attempt) implements OfRecovery {}

    /** The job's nodes are taken: instances end, outputs are carried out, then it queues again. */
    record JobPreempted(
            JobId job,
            ProjectId project,
            int attempt,
            String commandId,
            String requestedBy,
            String reason)
            implements OfRecovery {}

    record EvidenceKept(
            JobId job,
            ProjectId project,
            int attempt,
            int index,
            int incident,
            String location,
            int processStart)
            implements OfRecovery {}

    record NodeDeclared(NodeId node, NodeShape shape, boolean ready) implements OfNode {}

    record NodeReadinessChanged(NodeId node, boolean ready) implements OfNode {}

    record NodeCordoned(NodeId node, String commandId, String requestedBy) implements OfNode {}

    record NodeUncordoned(NodeId node, String commandId, String requestedBy) implements OfNode {}

    record CommandRefused(String commandId, String reason) implements Event {}

    record LeaderTookOver(long epoch, String leader, int codeVersion) implements Event {}

    record ShardOwned(long shardEpoch, String executor) implements Event {}

    record OutageObserved(long fromMillis, long toMillis) implements Event {}

    /**
     * Inputs that changed nothing (repeats, old counters): keeps every journal row's seq range
     * non-empty.
     */
    record InputsAbsorbed(int count) implements Event {}
}
