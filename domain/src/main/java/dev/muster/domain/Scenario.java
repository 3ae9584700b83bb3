package dev.muster.domain;

/** What kind of incident it is, in the vendors' words (S1). */
public enum Scenario {
    CHIP_FAULT,
    NODE_FAULT,
    /** An instance ended with a code other than 0, could not be started or vanished. */
    JOB_FAILED,
    JOB_HANGED,
    JOB_SUBHEALTH,
    /** A line of the log matched one of the job's failure patterns. */
    ERROR_IN_LOG
}
