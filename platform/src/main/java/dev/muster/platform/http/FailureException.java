package dev.muster.platform.http;

import dev.muster.domain.Failure;

/** A {@link Failure} on its way through futures to the one mapper. */
public final class FailureException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient Failure failure;

    public FailureException(Failure failure) {
        // no stack: it is a value, not a defect
        super(failure.message(), null, false, false);
        this.failure = failure;
    }

    public Failure failure() {
        return failure;
    }
}
