package dev.muster.platform.sql;

import dev.muster.platform.sql.StatementFailed.Outcome;

import io.vertx.core.VertxException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.DatabaseException;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.Set;

/** Classifies what the driver says into what is known. */
final class Outcomes {

    /**
     * The server ended the session, perhaps after the commit: no answer to the statement itself.
     */
    private static final Set<String> SESSION_ENDED =
            Set.of("57P01", "57P02", "57P03", "57P04", "57P05");

    private Outcomes() {}

    static StatementFailed ofSent(Throwable cause) {
        if (cause instanceof StatementFailed known) {
            return known;
        }
        if (cause instanceof PgException refused) {
            String state = refused.getSqlState() == null ? "" : refused.getSqlState();
            boolean unknown = SESSION_ENDED.contains(state) || state.startsWith("08");
            return new StatementFailed(
                    unknown ? Outcome.UNKNOWN : Outcome.REFUSED,
                    state,
                    "PostgreSQL answered " + state + ": " + refused.getErrorMessage(),
                    cause);
        }
        if (neverSent(cause)) {
            return ofConnecting(cause);
        }
        return new StatementFailed(
                Outcome.UNKNOWN, "", "the connection to PostgreSQL was lost: " + cause, cause);
    }

    private static boolean neverSent(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        return cause instanceof ConnectException
                || cause instanceof UnknownHostException
                || cause instanceof ConnectionPoolTooBusyException
                || message.startsWith("Connection pool reached max wait queue size")
                || message.equals("Timeout waiting for connection");
    }

    /** Whether the failure is the database's, not that of the work done in a transaction. */
    static boolean ofDatabase(Throwable cause) {
        return cause instanceof DatabaseException
                || cause instanceof VertxException
                || cause instanceof IOException;
    }

    static StatementFailed ofConnecting(Throwable cause) {
        String state =
                cause instanceof PgException refused && refused.getSqlState() != null
                        ? refused.getSqlState()
                        : "";
        return new StatementFailed(
                Outcome.NOT_SENT,
                state,
                "PostgreSQL cannot be reached: " + cause.getMessage(),
                cause);
    }
}
