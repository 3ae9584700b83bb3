package dev.muster.core.recovery;

import dev.muster.core.recovery.Fault.Origin;
import dev.muster.domain.FailureCause;
import dev.muster.domain.Scenario;
import dev.muster.domain.Tier;

/** From what was observed to faults. */
public final class Classification {

    private static final int SIGNAL_BASE = 128;

    private Classification() {}

    /** An exit in words. */
    static String ofExit(int index, int exitCode) {
        return "instance "
                + index
                + " ended with code "
                + exitCode
                + (exitCode > SIGNAL_BASE ? " (signal " + (exitCode - SIGNAL_BASE) + ")" : "");
    }

    /** An exit that nobody but its code speaks for. */
    static Fault ofCode(String message) {
        return new Fault(
                Scenario.JOB_FAILED, FailureCause.EXIT_CODE, Origin.USER, Tier.PROCESS, message);
    }

    /** An exit or a running job that the monitor has judged. */
    static Fault ofVerdict(Scenario scenario, boolean environment, String message) {
        return switch (scenario) {
            case CHIP_FAULT, NODE_FAULT ->
                    fault(scenario, FailureCause.NODE_LOST, environment, Tier.JOB, message);
            case ERROR_IN_LOG ->
                    fault(scenario, FailureCause.ERROR_IN_LOG, environment, Tier.PROCESS, message);
            case JOB_FAILED, JOB_SUBHEALTH ->
                    fault(scenario, FailureCause.EXIT_CODE, environment, Tier.PROCESS, message);
            case JOB_HANGED ->
                    new Fault(scenario, FailureCause.HANG, Origin.HANG, Tier.PROCESS, message);
        };
    }

    private static Fault fault(
            Scenario scenario,
            FailureCause cause,
            boolean environment,
            Tier first,
            String message) {
        Origin origin = environment ? Origin.ENVIRONMENT : Origin.USER;
        return new Fault(scenario, cause, origin, first, message);
    }

    /** Something other than the command failed. */
    static Fault ofFailure(int index, FailureCause cause, String message) {
        String words = "instance " + index + ": " + message;
        Origin origin =
                switch (cause) {
                    case START, INSTANCE_LOST, NODE_LOST -> Origin.ENVIRONMENT;
                    case EXIT_CODE, PREPARATION, OUTPUT_SYNC, HANG, ERROR_IN_LOG, UNPUBLISHABLE ->
                            Origin.FINAL;
                };
        return new Fault(Scenario.JOB_FAILED, cause, origin, Tier.CONTAINER, words);
    }

    static Fault ofLoss(int index) {
        return new Fault(
                Scenario.JOB_FAILED,
                FailureCause.INSTANCE_LOST,
                Origin.ENVIRONMENT,
                Tier.CONTAINER,
                "instance " + index + " is gone without an exit");
    }
}
