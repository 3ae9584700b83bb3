package dev.muster.agent;

/**
 * Something other than the command failed; the instance cannot go on.
 *
 * @param message one sentence for the user
 */
public record InstanceFailure(Step step, String message) {

    /** What failed. */
    public enum Step {
        /** An input or the code could not be brought in. */
        PREPARE,
        /** The command could not be started; nothing of it ran. */
        START,
        /** Outputs or logs could not be carried out within the budget. */
        SYNC,
        /** The supervisor died or does not answer. */
        SUPERVISOR
    }
}
