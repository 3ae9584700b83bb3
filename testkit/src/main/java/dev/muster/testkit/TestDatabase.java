package dev.muster.testkit;

import dev.muster.embedded.PostgresConnection;

import java.sql.Connection;
import java.sql.SQLException;

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

    /** A JDBC connection, which the caller closes. */
    public Connection open() throws SQLException {
        return TestPostgres.open(connection);
    }

    @Override
    public void close() {
        drop.run();
    }
}
