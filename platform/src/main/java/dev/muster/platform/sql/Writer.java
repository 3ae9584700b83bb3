package dev.muster.platform.sql;

import static dev.muster.platform.config.PlatformSettings.SQL_TIMEOUT_MILLIS;

import dev.muster.platform.config.Settings;
import dev.muster.platform.sql.StatementFailed.Outcome;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.TimeUnit;

/**
 * One connection for one writer. Each call is one statement and one implicit transaction; calls are
 * sent in order and may be pipelined. Every failure is a {@link StatementFailed} that says whether
 * the statement may have happened.
 */
public final class Writer {

    private static final Logger LOG = LoggerFactory.getLogger(Writer.class);

    private final Vertx vertx;
    private final PgConnectOptions options;
    private final long timeoutMillis;
    private @Nullable Future<PgConnection> connection;
    private boolean closed;

    Writer(Vertx vertx, Settings settings, String name) {
        this.vertx = vertx;
        this.options = Database.connect(settings);
        this.options.addProperty("application_name", "muster " + name);
        // pipelined statements after one of unknown outcome would be of unknown outcome too
        this.options.setPipeliningLimit(16);
        this.timeoutMillis = settings.get(SQL_TIMEOUT_MILLIS) + 1000L;
    }

    public Future<RowSet<Row>> execute(String sql, Tuple parameters) {
        return connected()
                .recover(cause -> Future.failedFuture(Outcomes.ofConnecting(cause)))
                .compose(connection -> send(connection, sql, parameters));
    }

    private Future<RowSet<Row>> send(PgConnection connection, String sql, Tuple parameters) {
        // the server's own statement_timeout comes first; this one is for a server that is gone
        return connection
                .preparedQuery(sql)
                .execute(parameters)
                .timeout(timeoutMillis, TimeUnit.MILLISECONDS)
                .recover(cause -> {
                    StatementFailed failed = Outcomes.ofSent(cause);
                    if (failed.outcome() == Outcome.UNKNOWN) {
                        drop(connection);
                    }
                    return Future.failedFuture(failed);
                });
    }

    private synchronized Future<PgConnection> connected() {
        if (closed) {
            return Future.failedFuture("the writer is closed");
        }
        if (connection == null || connection.failed()) {
            connection = PgConnection.connect(vertx, options).onSuccess(this::watch);
        }
        return connection;
    }

    private void watch(PgConnection fresh) {
        fresh.closeHandler(_ -> forget(fresh));
        fresh.exceptionHandler(cause -> LOG.debug("a writer's connection: {}", cause.getMessage()));
    }

    private synchronized void forget(PgConnection lost) {
        if (connection != null && lost.equals(connection.result())) {
            connection = null;
        }
    }

    private void drop(PgConnection lost) {
        forget(lost);
        lost.close().onFailure(cause -> LOG.debug("a lost connection: {}", cause.getMessage()));
    }

    public synchronized Future<Void> close() {
        closed = true;
        Future<PgConnection> last = connection;
        connection = null;
        return last == null
                ? Future.succeededFuture()
                : last.compose(PgConnection::close).otherwiseEmpty();
    }
}
