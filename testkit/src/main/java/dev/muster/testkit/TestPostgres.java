package dev.muster.testkit;

import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.PostgresConnection;
import dev.muster.embedded.PostgresSettings;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** One PostgreSQL for all tests of this JVM, started on first use and as durable as any other. */
public final class TestPostgres {
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final EmbeddedPostgres server;

    private TestPostgres() {
        Path directory = TestDirectory.create("postgres");
        server =
                EmbeddedPostgres.start(
                        directory,
                        PostgresSettings.defaults()
                                .withOverrides(Map.of("shared_buffers", "64MB")));
        TestDirectory.deleteAtExit(
                directory, () -> server.stop(EmbeddedPostgres.StopMode.IMMEDIATE));
    }

    private static final class Holder {
        static final TestPostgres SHARED = new TestPostgres();
    }

    public static TestPostgres shared() {
        return Holder.SHARED;
    }

    /** The server, for tests that stop it. */
    public EmbeddedPostgres server() {
        return server;
    }

    /** A database of its own, empty, dropped when it is closed. */
    public TestDatabase newDatabase() {
        String name = "test_" + NEXT.incrementAndGet();
        execute("CREATE DATABASE " + name);
        PostgresConnection all = server.connection();
        return new TestDatabase(
                new PostgresConnection(
                        all.host(), all.port(), name, all.user(), all.password(), all.pid()),
                () -> execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"));
    }

    private void execute(String sql) {
        PostgresConnection connection = server.connection();
        try (Connection jdbc = open(connection);
                Statement statement = jdbc.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    static Connection open(PostgresConnection connection) throws SQLException {
        return DriverManager.getConnection(
                connection.jdbcUrl(), connection.user(), connection.password());
    }
}
