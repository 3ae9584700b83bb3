package dev.muster.core.recovery;

import dev.muster.domain.FailureCause;
import dev.muster.domain.Scenario;
import dev.muster.domain.Tier;

/**
 * Something that keeps a gang from its work.
 *
 * @param cause of the job's failure, if nothing helps
 * @param first the cheapest tier that can help
 */
public record Fault(
        Scenario scenario, FailureCause cause, Origin origin, Tier first, String message) {

    /** Whose fault it is: it decides whether a restart follows, and on which budget. */
    public enum Origin {
        ENVIRONMENT,
        HANG,
        /** A plain exit code: restarted only if the job asks for it without condition. */
        USER,
        /** No restart can help: inputs that cannot be had, results that cannot be kept. */
        FINAL
    }
}
