package dev.muster.testkit;

import dev.muster.embedded.PostgresConnection;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

/** An empty database for one test; closing it drops it and ends the sessions in it. */
public final class TestDatabase implements AutoCloseable {
    private final PostgresConnection connection;
    private final Runnable drop;

    TestDatabase(PostgresConnection connection, Runnable drop) {
        this.connection = connection;
        this.drop = drop;
    }

    public PostgresConnection connection() {
        return connection;
    }

    /** The settings of a service that is to use this database. */
    public Map<String, String> settings() {
        return Map.of(
                "sql.host", connection.host(),
                "sql.port", Integer.toString(connection.port()),
                "sql.database", connection.database(),
                "sql.user", connection.user(),
                "sql.password", connection.password());
    }

    /** A JDBC connection, which the caller closes. */
    public Connection open() throws SQLException {
        return TestPostgres.open(connection);
    }

    @Override
    public void close() {
        drop.run();
    }
}
