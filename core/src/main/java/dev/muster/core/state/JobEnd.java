package dev.muster.core.state;

import dev.muster.domain.FailureCause;
import dev.muster.domain.JobSnapshot;

import org.jspecify.annotations.Nullable;

/**
 * How a finishing or stopping job will end.
 *
 * @param cause null unless it will fail
 * @param message of the cause, or the reason of a stop
 * @param commandId of the stop, empty if there is none
 */
public record JobEnd(
        @Nullable FailureCause cause, String message, String commandId, String requestedBy) {

    static final JobEnd NONE = new JobEnd(null, "", "", "");

    static JobEnd of(JobSnapshot job) {
        boolean none =
                job.endCause() == null
                        && job.endMessage().isEmpty()
                        && job.endCommandId().isEmpty()
                        && job.endRequestedBy().isEmpty();
        return none
                ? NONE
                : new JobEnd(
                        job.endCause(), job.endMessage(), job.endCommandId(), job.endRequestedBy());
    }
}
