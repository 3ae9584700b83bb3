package dev.muster.domain;

/** What became of an incident, or of one tier that was tried in it. */
public enum RecoveryResult {
    RECOVERING,
    /** Every instance runs again. */
    SUCCESS,
    /** The job ends with the fault. */
    FAILED,
    /** The tier did not bring the job back; the next one was tried. */
    DOWNGRADE,
    /** A stop or a preemption came in between. */
    TERMINATED,
    /** A budget of restarts is used up; the job ends. */
    QUOTA_EXCEEDED,
    /** Recorded; nothing followed, since the job did not ask for it. */
    NOT_RESTARTED
}
