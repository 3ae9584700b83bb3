package dev.muster.executor;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobSpec;
import dev.muster.domain.Tier;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Map;

/**
 * How the simulated instances of a job behave, as variables of its environment say. What they do
 * not say, or not in this way, is as usual.
 *
 * @param runMillis of a healthy process start, and of one that ends with a fault
 * @param exitCode of a healthy process start, or of one with the fault EXIT
 * @param fault of every process start until the cure
 * @param cure the tier of the first restart after which all is well
 * @param silenceMillis after which a hang is told at once, 0 for never
 */
record SimulatedCourse(long runMillis, int exitCode, Fault fault, Tier cure, long silenceMillis) {

    /** {@code SIMULATED_RUN_MILLIS}: how long an instance runs. */
    static final String RUN_MILLIS = "SIMULATED_RUN_MILLIS";

    /** {@code SIMULATED_EXIT_CODE}: with which code it ends. */
    static final String EXIT_CODE = "SIMULATED_EXIT_CODE";

    /** {@code SIMULATED_FAULT}: {@code exit} or {@code hang}. */
    static final String FAULT = "SIMULATED_FAULT";

    /** {@code SIMULATED_CURED_BY}: {@code process}, {@code container} or {@code job}. */
    static final String CURED_BY = "SIMULATED_CURED_BY";

    /** What goes wrong. */
    enum Fault {
        NONE,
        /** It ends with the exit code, 1 if none is given; after the cure with 0. */
        EXIT,
        /** It says nothing and does not end. */
        HANG
    }

    /**
     * @param usualMillis of jobs that say nothing
     */
    static SimulatedCourse of(JobSpec spec, long usualMillis) {
        Map<String, String> environment = spec.environment();
        Fault fault = choice(Fault.class, environment.get(FAULT), Fault.NONE);
        JobSpec.Recovery recovery = spec.recovery();
        return new SimulatedCourse(
                number(environment.get(RUN_MILLIS), usualMillis),
                (int) number(environment.get(EXIT_CODE), fault == Fault.EXIT ? 1 : 0),
                fault,
                choice(Tier.class, environment.get(CURED_BY), Tier.PROCESS),
                recovery.hangSilenceSeconds() == 0
                        ? 0
                        : 1000L
                                * Math.max(
                                        recovery.hangSilenceSeconds(), recovery.startupSeconds()));
    }

    boolean hangs(InstanceRef instance, int processStart) {
        return fault == Fault.HANG && !cured(instance, processStart);
    }

    int exitCode(InstanceRef instance, int processStart) {
        return fault == Fault.EXIT && cured(instance, processStart) ? 0 : exitCode;
    }

    private boolean cured(InstanceRef instance, int processStart) {
        return switch (cure) {
            case PROCESS ->
                    processStart > 1 || instance.incarnation() > 1 || instance.attempt() > 1;
            case CONTAINER -> instance.incarnation() > 1 || instance.attempt() > 1;
            case JOB -> instance.attempt() > 1;
        };
    }

    private static long number(@Nullable String text, long otherwise) {
        if (text == null) {
            return otherwise;
        }
        try {
            return Math.max(0, Long.parseLong(text.strip()));
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    private static <E extends Enum<E>> E choice(Class<E> of, @Nullable String text, E otherwise) {
        if (text == null) {
            return otherwise;
        }
        try {
            return Enum.valueOf(of, text.strip().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            return otherwise;
        }
    }
}
