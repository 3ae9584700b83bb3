package dev.muster.gateway;

import dev.muster.domain.Failure;
import dev.muster.platform.http.FailureException;
import dev.muster.platform.sql.Database;
import dev.muster.platform.sql.StatementFailed;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Says why nothing can be accepted. A full disk shows itself in two ways: as an error of a
 * statement, or, when the write-ahead log is what did not fit, as a server that is gone; so the
 * room on the disk is looked at where it is within reach.
 */
final class StorageTrouble {

    private static final Logger LOG = LoggerFactory.getLogger(StorageTrouble.class);
    private static final int RETRY_SECONDS = 5;

    /** One segment of the write-ahead log: with less, PostgreSQL cannot go on. */
    private static final long NEEDED_BYTES = 16L << 20;

    private final Vertx vertx;
    private final Database database;
    private volatile String directory = "";

    StorageTrouble(Vertx vertx, Database database) {
        this.vertx = vertx;
        this.database = database;
    }

    /** Learns where the data lie, while the server can still tell. */
    Future<Void> learn() {
        return database.query("SELECT current_setting('data_directory', true) AS path")
                .<Void>map(rows -> {
                    for (Row row : rows) {
                        String path = row.getString("path");
                        directory = path == null ? "" : path;
                    }
                    return null;
                })
                .recover(cause -> {
                    // a role without pg_read_all_settings may not know it
                    LOG.info("the data directory is not known: {}", cause.getMessage());
                    return Future.succeededFuture();
                });
    }

    /** The answer for those who wait in vain. */
    Future<FailureException> explain(@Nullable StatementFailed cause) {
        if (cause != null && cause.storageExhausted()) {
            return Future.succeededFuture(full());
        }
        return vertx.executeBlocking(this::diskIsFull, false)
                .otherwise(false)
                .map(isFull ->
                        isFull
                                ? full()
                                : failure(
                                        "The database does not answer. A request with an"
                                                + " Idempotency-Key may be repeated safely."));
    }

    private boolean diskIsFull() throws java.io.IOException {
        String path = directory;
        if (path.isEmpty() || !Files.isDirectory(Path.of(path))) {
            return false; // on another machine
        }
        return Files.getFileStore(Path.of(path)).getUsableSpace() < NEEDED_BYTES;
    }

    private FailureException full() {
        return failure(
                "Nothing can be written: the disk of "
                        + (directory.isEmpty() ? "the database" : directory)
                        + " is full.");
    }

    private static FailureException failure(String message) {
        return new FailureException(new Failure.Unavailable(message, RETRY_SECONDS));
    }
}
