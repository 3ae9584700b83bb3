package dev.muster.domain;

/**
 * An intent of a user or an operator. Every command but a submission has an id, and the core always
 * answers with a fact that names it or with {@link Event.CommandRefused}. A submission's identity
 * is its place on its lane.
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

    /** Place nothing new on a node; what runs there goes on. */
    record CordonNode(String commandId, NodeId node, String requestedBy) implements Command {}

    record UncordonNode(String commandId, NodeId node, String requestedBy) implements Command {}

    /**
     * Stands at the place of a record that could not be published, so that nothing blocks its lane
     * and nothing is skipped silently: the job fails with the reason.
     */
    record Unpublishable(JobId job, ProjectId project, String reason) implements Command {}
}
