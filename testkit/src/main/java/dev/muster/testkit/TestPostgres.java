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

/**
 * One PostgreSQL for all tests of this JVM, started on first use and as durable as any other.
 *
 * <p>The system property {@value #KIND} says which: {@code embedded}, or {@code container} with the
 * Maven profile {@code containers}. Tests that end, stop or fill up the server itself start an
 * {@link EmbeddedPostgres} of their own.
 */
public final class TestPostgres {
    static final String KIND = "muster.test.postgres";

    private static final Map<String, String> SMALL = Map.of("shared_buffers", "64MB");
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final PostgresConnection server;

    private TestPostgres() {
        String kind = System.getProperty(KIND, "embedded");
        server =
                switch (kind) {
                    case "embedded" -> embedded();
                    case "container" -> PostgresContainer.start(SMALL);
                    default ->
                            throw new IllegalStateException(
                                    KIND + " is '" + kind + "', not embedded or container");
                };
    }

    private static PostgresConnection embedded() {
        Path directory = TestDirectory.create("postgres");
        EmbeddedPostgres server =
                EmbeddedPostgres.start(directory, PostgresSettings.defaults().withOverrides(SMALL));
        TestDirectory.deleteAtExit(
                directory, () -> server.stop(EmbeddedPostgres.StopMode.IMMEDIATE));
        return server.connection();
    }

    private static final class Holder {
        static final TestPostgres SHARED = new TestPostgres();
    }

    public static TestPostgres shared() {
        return Holder.SHARED;
    }

    /** A database of its own, empty, dropped when it is closed. */
    public TestDatabase newDatabase() {
        return made("");
    }

    /** A database as this one is now, as a backup would bring it back; ends all sessions in it. */
    public TestDatabase copyOf(TestDatabase original) {
        String name = original.connection().database();
        execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
        try {
            execute(
                    "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE datname ="
                            + " '"
                            + name
                            + "'");
            return made(" TEMPLATE " + name);
        } finally {
            execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
        }
    }

    private TestDatabase made(String how) {
        String name = "test_" + NEXT.incrementAndGet();
        execute("CREATE DATABASE " + name + how);
        return new TestDatabase(
                new PostgresConnection(
                        server.host(),
                        server.port(),
                        name,
                        server.user(),
                        server.password(),
                        server.pid()),
                () -> execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"));
    }

    private void execute(String sql) {
        try (Connection jdbc = open(server);
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
