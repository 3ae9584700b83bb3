package dev.muster.platform.sql;

import static dev.muster.platform.config.PlatformSettings.SQL_DATABASE;
import static dev.muster.platform.config.PlatformSettings.SQL_HOST;
import static dev.muster.platform.config.PlatformSettings.SQL_PASSWORD;
import static dev.muster.platform.config.PlatformSettings.SQL_POOL_SIZE;
import static dev.muster.platform.config.PlatformSettings.SQL_PORT;
import static dev.muster.platform.config.PlatformSettings.SQL_QUEUE;
import static dev.muster.platform.config.PlatformSettings.SQL_TIMEOUT_MILLIS;
import static dev.muster.platform.config.PlatformSettings.SQL_USER;

import dev.muster.platform.config.Settings;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** PostgreSQL: a shared pool for reads and small writes, and {@link Writer}s for durable steps. */
public final class Database {

    private static final int PIPELINED = 64;

    private final Vertx vertx;
    private final Settings settings;
    private final Pool pool;

    private Database(Vertx vertx, Settings settings, Pool pool) {
        this.vertx = vertx;
        this.settings = settings;
        this.pool = pool;
    }

    /** Connects lazily: the server need not be there yet. */
    public static Database open(Vertx vertx, Settings settings) {
        PoolOptions options =
                new PoolOptions()
                        .setMaxSize(settings.get(SQL_POOL_SIZE))
                        .setMaxWaitQueueSize(settings.get(SQL_QUEUE))
                        .setConnectionTimeout(settings.get(SQL_TIMEOUT_MILLIS))
                        .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS)
                        .setName("sql");
        Pool pool =
                PgBuilder.pool().with(options).connectingTo(connect(settings)).using(vertx).build();
        return new Database(vertx, settings, pool);
    }

    static PgConnectOptions connect(Settings settings) {
        PgConnectOptions options =
                new PgConnectOptions()
                        .setHost(settings.get(SQL_HOST))
                        .setPort(settings.get(SQL_PORT))
                        .setDatabase(settings.get(SQL_DATABASE))
                        .setUser(settings.get(SQL_USER))
                        .setPassword(settings.get(SQL_PASSWORD))
                        .setPipeliningLimit(PIPELINED)
                        .setCachePreparedStatements(true)
                        .setPreparedStatementCacheMaxSize(256);
        options.addProperty("application_name", "muster");
        options.addProperty("TimeZone", "UTC"); // weeks and days are the same wherever it runs
        options.addProperty(
                "statement_timeout", Integer.toString(settings.get(SQL_TIMEOUT_MILLIS)));
        return options;
    }

    public Settings settings() {
        return settings;
    }

    /** Does on a worker thread what blocks. */
    public <T> Future<T> blocking(Callable<T> work) {
        return vertx.executeBlocking(work, false);
    }

    /** The pool itself, for what the methods here do not offer. */
    public Pool pool() {
        return pool;
    }

    /** Fails with {@link StatementFailed}. */
    public Future<RowSet<Row>> query(String sql, Object... parameters) {
        return query(sql, Tuple.from(parameters));
    }

    /** Fails with {@link StatementFailed}. */
    public Future<RowSet<Row>> query(String sql, Tuple parameters) {
        return pool.preparedQuery(sql)
                .execute(parameters)
                .recover(cause -> Future.failedFuture(Outcomes.ofSent(cause)));
    }

    /** Several statements without parameters. Fails with {@link StatementFailed}. */
    public Future<RowSet<Row>> script(String sql) {
        return pool.query(sql)
                .execute()
                .recover(cause -> Future.failedFuture(Outcomes.ofSent(cause)));
    }

    /**
     * In one transaction, rolled back if the work fails. Fails with {@link StatementFailed} or the
     * work's own failure.
     */
    public <T> Future<T> transaction(Function<SqlConnection, Future<T>> work) {
        return pool.withTransaction(work)
                .recover(cause ->
                        Future.failedFuture(
                                Outcomes.ofDatabase(cause) ? Outcomes.ofSent(cause) : cause));
    }

    /** A connection of its own for one writer; opened at first use and again after a loss. */
    public Writer writer(String name) {
        return new Writer(vertx, settings, name);
    }

    /** Brings the schema {@code name} up to date with the module's resources {@code db/<name>}. */
    public Future<Void> migrate(String name) {
        return migrate(name, Optional.empty());
    }

    /** Brings a schema to an older version of its tables, to load what was saved of them. */
    public Future<Void> migrateTo(String name, String version) {
        return migrate(name, Optional.of(version));
    }

    private Future<Void> migrate(String name, Optional<String> version) {
        return vertx.executeBlocking(
                () -> {
                    Migrations.run(settings, name, version);
                    return null;
                },
                false);
    }

    /** Reads the server's durability settings back. */
    public Future<Durability> durability() {
        return query(
                        "SELECT name, setting FROM pg_settings WHERE name = ANY($1)",
                        Tuple.of(Durability.NAMES.toArray(String[]::new)))
                .map(Durability::of);
    }

    /** Fails with one sentence when the server is not there or would lose a commit. */
    public Future<Void> checkDurable() {
        return durability()
                .compose(found ->
                        found.durable()
                                ? Future.succeededFuture()
                                : Future.failedFuture("PostgreSQL is not durable: " + found));
    }

    public Future<Void> close() {
        return pool.close();
    }

    /** What a server promises of a commit. */
    public record Durability(boolean fsync, boolean synchronousCommit, boolean fullPageWrites) {

        static final List<String> NAMES =
                List.of("fsync", "synchronous_commit", "full_page_writes");

        static Durability of(RowSet<Row> rows) {
            boolean fsync = false;
            boolean commit = false;
            boolean pages = false;
            for (Row row : rows) {
                String value = row.getString("setting");
                switch (row.getString("name")) {
                    case "fsync" -> fsync = "on".equals(value);
                    case "synchronous_commit" -> commit = !"off".equals(value);
                    case "full_page_writes" -> pages = "on".equals(value);
                    default -> {
                        // no other row was asked for
                    }
                }
            }
            return new Durability(fsync, commit, pages);
        }

        public boolean durable() {
            return fsync && synchronousCommit && fullPageWrites;
        }
    }
}
