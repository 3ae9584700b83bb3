package dev.muster.bench;

import dev.muster.embedded.PostgresConnection;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The database under test, asked from outside. */
record BenchDatabase(PostgresConnection to) {

    private static final List<String> DURABLE =
            List.of("fsync", "synchronous_commit", "full_page_writes");

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

    /** Whether the settings that make a commit durable are in force, read back from the server. */
    boolean durable() {
        return ask(statement -> {
            for (String setting : DURABLE) {
                try (ResultSet result = statement.executeQuery("SHOW " + setting)) {
                    result.next();
                    if (!result.getString(1).equals("on")) {
                        return false;
                    }
                }
            }
            return true;
        });
    }
}
