package dev.muster.cli;

import static dev.muster.platform.config.PlatformSettings.KAFKA_BOOTSTRAP;
import static dev.muster.platform.config.PlatformSettings.SQL_PASSWORD;

import dev.muster.embedded.EmbeddedKafka;
import dev.muster.platform.config.Settings;
import dev.muster.platform.http.Tokens;
import dev.muster.platform.journal.RolledUnreadable;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletionException;

/**
 * The database of a Muster that runs or does not: that of the settings, or the data directory's,
 * started for as long as this is open where nobody else has.
 */
final class OpenDirectory implements AutoCloseable {

    private final DataDirectory directory;
    private final Settings settings;
    private final @Nullable PostgresOfDirectory postgres;
    private final Vertx vertx = Vertx.vertx();
    private final Database database;

    private OpenDirectory(
            DataDirectory directory, Settings settings, @Nullable PostgresOfDirectory postgres) {
        this.directory = directory;
        this.settings = settings;
        this.postgres = postgres;
        this.database = Database.open(vertx, settings);
    }

    /**
     * @throws CommandFailure with one sentence if there is no database
     */
    static OpenDirectory of(ServerOptions options) {
        DataDirectory directory = options.directory();
        directory.refuseOther();
        Settings given = options.settings();
        if (!given.get(SQL_PASSWORD).isEmpty()) {
            return new OpenDirectory(directory, complete(directory, given), null);
        }
        PostgresOfDirectory postgres = PostgresOfDirectory.of(directory, given);
        try {
            Settings led = EmbeddedStack.withPostgres(given, postgres.connection());
            return new OpenDirectory(directory, complete(directory, led), postgres);
        } catch (RuntimeException e) {
            postgres.close();
            throw e;
        }
    }

    /** A database that is only being made. */
    static OpenDirectory fresh(DataDirectory directory, Settings led) {
        return new OpenDirectory(directory, led, null);
    }

    /**
     * Tokens where there are any, and the data directory's Kafka where no other one is configured.
     */
    private static Settings complete(DataDirectory directory, Settings settings) {
        Settings led = Tokens.known(settings, directory.path());
        if (!led.get(KAFKA_BOOTSTRAP).equals(KAFKA_BOOTSTRAP.defaultValue())) {
            return led;
        }
        return EmbeddedKafka.read(directory.path())
                .map(found -> EmbeddedStack.withKafka(led, found))
                .orElse(led);
    }

    DataDirectory directory() {
        return directory;
    }

    Settings settings() {
        return settings;
    }

    Vertx vertx() {
        return vertx;
    }

    Database database() {
        return database;
    }

    /** Whether the schema of a service is there: it has started once. */
    boolean has(String schema) {
        return rows("SELECT FROM pg_namespace WHERE nspname = $1", schema).size() > 0;
    }

    RowSet<Row> rows(String sql, Object... parameters) {
        return await(database.query(sql, Tuple.from(parameters)));
    }

    /**
     * @throws CommandFailure if the database does not answer
     */
    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof RolledUnreadable) {
                throw new CommandFailure(ExitCodes.FAILED, String.valueOf(cause.getMessage()));
            }
            throw new CommandFailure(
                    ExitCodes.UNAVAILABLE, "PostgreSQL does not answer: " + cause.getMessage());
        }
    }

    @Override
    public void close() {
        try {
            await(database.close());
            await(vertx.close());
        } finally {
            PostgresOfDirectory own = postgres;
            if (own != null) {
                own.close();
            }
        }
    }
}
