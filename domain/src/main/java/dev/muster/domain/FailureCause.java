package dev.muster.domain;

/** Why a job failed. */
public enum FailureCause {
    /** The command ended with a code other than 0. */
    EXIT_CODE,
    /** Code or inputs could not be brought in, or exceed a limit. */
    PREPARATION,
    /** The instance could not be started. */
    START,
    /** The command had ended well, but the final sync of its outputs failed beyond its budget. */
    OUTPUT_SYNC,
    /** The instance vanished without an exit. */
    INSTANCE_LOST,
    /** The job hung, and no restart is left. */
    HANG,
    /** A line of the log matched a failure pattern, and no restart is left. */
    ERROR_IN_LOG,
    /** A node of the gang broke, and no restart is left. */
    NODE_LOST,
    /** The accepted job could not be published to its scheduler. */
    UNPUBLISHABLE
}
