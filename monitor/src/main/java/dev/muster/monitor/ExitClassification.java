package dev.muster.monitor;

import dev.muster.domain.Scenario;

/**
 * Whose fault an exit is: what a matched failure pattern says, else what the code says. A command
 * that was killed from outside (SIGKILL, as by the kernel when memory runs out; SIGBUS, as by a
 * device or file that went away) failed for its environment; any other code is the command's own.
 *
 * @param environment whether the fault is not the user's
 */
public record ExitClassification(Scenario scenario, boolean environment, String message) {

    private static final int BY_SIGNAL = 128;
    private static final int SIGBUS = 7;
    private static final int SIGKILL = 9;

    /** Whether a code says that the command was killed from outside. */
    static boolean killed(int code) {
        return code == BY_SIGNAL + SIGKILL || code == BY_SIGNAL + SIGBUS;
    }

    /**
     * @param code 1 to 255, or −1 for a command that still runs after its failure line
     * @param failure log line that matched a failure pattern, empty for none
     */
    static ExitClassification of(int index, int code, String failure) {
        if (!failure.isEmpty()) {
            return new ExitClassification(
                    Scenario.ERROR_IN_LOG,
                    true,
                    "the log of instance %d says: %s".formatted(index, failure));
        }
        if (killed(code)) {
            int signal = code - BY_SIGNAL;
            return new ExitClassification(
                    Scenario.JOB_FAILED,
                    true,
                    "instance %d was killed from outside by signal %d".formatted(index, signal));
        }
        return new ExitClassification(
                Scenario.JOB_FAILED,
                false,
                "the command of instance %d exited with %d".formatted(index, code));
    }
}
