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
