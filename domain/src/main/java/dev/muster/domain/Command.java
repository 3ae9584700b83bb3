package dev.muster.domain;

/**
 * An intent of a user or an operator, or a verdict of the monitor. Every command but a submission
 * has an id. An intent is always answered by a fact that names it or by {@link
 * Event.CommandRefused}; a verdict is refused, or its consequences are facts. A submission's
 * identity is its place on its lane.
 */
public sealed interface Command extends Message {

    /**
     * A job that the gateway has accepted.
     *
     * @param specHash SHA-256 of the canonical specification, in hexadecimal
     * @param acceptedAtMillis the gateway's clock at acceptance
     */
    record SubmitJob(Ask ask, String name, String specHash, long acceptedAtMillis)
            implements Command {}

    /** Stop a job: at once while it waits, after a final sync of its outputs when it runs. */
    record StopJob(String commandId, JobId job, String requestedBy, String reason)
            implements Command {}

    /** Take the job's nodes from it; it queues again in its place. */
    record PreemptJob(String commandId, JobId job, String requestedBy, String reason)
            implements Command {}

    /**
     * What the monitor makes of what it saw in one process start of a gang. Refused when the gang
     * has moved on from these counters.
     *
     * @param environment whether the fault is not the user's
     * @param index of the instance, −1 for all of them
     */
    record ReportIncident(
            String commandId,
            JobId job,
            int attempt,
            int incarnation,
            int processStart,
            Scenario scenario,
            boolean environment,
            int index,
            String message)
            implements Command {}

    /** The job has made progress for the whole window since that process start. */
    record ReportProgress(
            String commandId, JobId job, int attempt, int incarnation, int processStart)
            implements Command {}

    /** Place nothing new on a node; what runs there goes on. */
    record CordonNode(String commandId, NodeId node, String requestedBy) implements Command {}

    record UncordonNode(String commandId, NodeId node, String requestedBy) implements Command {}

    /**
     * Stands at the place of a record that could not be published, so that nothing blocks its lane
     * and nothing is skipped silently: the job fails with the reason.
     */
    record Unpublishable(JobId job, ProjectId project, String reason) implements Command {}
}
