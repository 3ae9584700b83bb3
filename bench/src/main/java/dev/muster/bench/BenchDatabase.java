package dev.muster.bench;

import dev.muster.embedded.PostgresConnection;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The database under test, asked from outside. */
record BenchDatabase(PostgresConnection to) {

    /** What is done on a connection of its own. */
    interface Question<T> {
        T ask(Statement statement) throws SQLException;
    }

    <T> T ask(Question<T> question) {
        try (Connection connection =
                        DriverManager.getConnection(to.jdbcUrl(), to.user(), to.password());
                Statement statement = connection.createStatement()) {
            return question.ask(statement);
        } catch (SQLException e) {
            throw new BenchFailed("PostgreSQL does not answer: " + e.getMessage(), e);
        }
    }

    /** The first number of the first row, 0 without one. */
    long number(String query) {
        return ask(statement -> {
            try (ResultSet result = statement.executeQuery(query)) {
                return result.next() ? result.getLong(1) : 0;
            }
        });
    }
}
