package dev.muster.platform.sql;

import org.jspecify.annotations.Nullable;

/** A statement did not succeed, and what is known of its effect. */
public final class StatementFailed extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** What became of the statement. */
    public enum Outcome {
        /** It never reached the server: nothing happened. */
        NOT_SENT,
        /** The server answered with an error: nothing happened. */
        REFUSED,
        /**
         * It was sent and no answer came: it may have happened, or may yet while the server still
         * runs it. Read back under a row lock before anything is repeated.
         */
        UNKNOWN
    }

    private final Outcome outcome;
    private final String sqlState;

    StatementFailed(Outcome outcome, String sqlState, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.outcome = outcome;
        this.sqlState = sqlState;
    }

    public Outcome outcome() {
        return outcome;
    }

    /** Five characters, or empty when the server did not answer. */
    public String sqlState() {
        return sqlState;
    }

    /** The server cannot write: its disk is full or fails (53100 disk_full, 58030 io_error). */
    public boolean storageExhausted() {
        return sqlState.equals("53100") || sqlState.equals("58030") || sqlState.equals("53000");
    }

    /** A unique key was there already (23505). */
    public boolean duplicate() {
        return sqlState.equals("23505");
    }

    /** The same statement may succeed later: no fault of the statement itself. */
    public boolean transientTrouble() {
        return outcome != Outcome.REFUSED
                || storageExhausted()
                || sqlState.startsWith("40")
                || sqlState.startsWith("53")
                || sqlState.startsWith("55")
                || sqlState.startsWith("57");
    }
}
