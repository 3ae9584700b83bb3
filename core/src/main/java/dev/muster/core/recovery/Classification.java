package dev.muster.core.recovery;

import dev.muster.domain.FailureCause;

/**
 * From exit codes to verdicts. The success policy is the one for all frameworks but MPI: every
 * instance ends with 0; the first that does not fails the job.
 */
public final class Classification {

    private static final int SIGNAL_BASE = 128;

    private Classification() {}

    /**
     * @param exited instances that have ended, this one included
     */
    public static Verdict ofExit(int index, int exitCode, int exited, int instances) {
        if (exitCode != 0) {
            return new Verdict.Fail(
                    FailureCause.EXIT_CODE, "instance " + index + " ended with " + words(exitCode));
        }
        return exited == instances ? Verdict.SUCCEED : Verdict.GO_ON;
    }

    public static Verdict ofFailure(int index, FailureCause cause, String message) {
        return new Verdict.Fail(cause, "instance " + index + ": " + message);
    }

    public static Verdict ofLoss(int index) {
        return new Verdict.Fail(
                FailureCause.INSTANCE_LOST, "instance " + index + " is gone without an exit");
    }

    private static String words(int exitCode) {
        return exitCode > SIGNAL_BASE
                ? "code " + exitCode + " (signal " + (exitCode - SIGNAL_BASE) + ")"
                : "code " + exitCode;
    }
}
