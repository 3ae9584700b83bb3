package dev.muster.cli;

/** What scripts can rely on. A job that failed by its command's exit code passes that code on. */
final class ExitCodes {

    static final int OK = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;

    /** Muster cannot be reached or refuses for now: try again later. */
    static final int UNAVAILABLE = 69;

    /** The job was stopped before it ended by itself. */
    static final int STOPPED = 130;

    private ExitCodes() {}
}
