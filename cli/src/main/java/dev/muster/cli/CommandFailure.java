package dev.muster.cli;

/** A command that cannot go on; the message is for the user, as it is. */
final class CommandFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final boolean notFound;

    CommandFailure(int exitCode, String message) {
        this(exitCode, message, false);
    }

    /**
     * @param notFound whether what was asked for is not there, or not yet
     */
    CommandFailure(int exitCode, String message, boolean notFound) {
        super(message);
        this.exitCode = exitCode;
        this.notFound = notFound;
    }

    boolean notFound() {
        return notFound;
    }

    int exitCode() {
        return exitCode;
    }
}
