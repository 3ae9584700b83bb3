package dev.muster.cli;

import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;

import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** All tables of all services, out of one snapshot and into empty ones, by COPY. */
final class TableCopy implements AutoCloseable {

    /** In the order in which they are made. */
    static final List<String> SCHEMAS =
            List.of("platform", "scheduler", "gateway", "executor", "monitor", "notifier");

    /** Who ran then says nothing about who runs after a restore. */
    private static final String LEFT_OUT = "platform.service";

    private static final int PART_BYTES = 8 << 20;

    /** Takes a piece of a table's rows. */
    @FunctionalInterface
    interface Part {
        void take(byte[] bytes, int length) throws IOException;
    }

    private final Connection connection;

    /** One transaction: {@link #commit} ends it. */
    TableCopy(Settings settings, boolean reads) throws SQLException {
        Properties login = new Properties();
        login.setProperty("user", settings.get(PlatformSettings.SQL_USER));
        login.setProperty("password", settings.get(PlatformSettings.SQL_PASSWORD));
        connection =
                DriverManager.getConnection(
                        "jdbc:postgresql://%s:%d/%s"
                                .formatted(
                                        settings.get(PlatformSettings.SQL_HOST),
                                        settings.get(PlatformSettings.SQL_PORT),
                                        settings.get(PlatformSettings.SQL_DATABASE)),
                        login);
        connection.setAutoCommit(false);
        if (reads) {
            connection.setReadOnly(true);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        }
    }

    /** Schema → version of its tables, of those that are there. */
    Map<String, String> versions() throws SQLException {
        Map<String, String> versions = new TreeMap<>();
        for (String schema : SCHEMAS) {
            String history = schema + ".flyway_schema_history";
            if (text("SELECT to_regclass('" + history + "')::text").isEmpty()) {
                continue;
            }
            text(version(schema)).forEach(version -> versions.put(schema, version));
        }
        return versions;
    }

    /** Asks for the version of a schema's tables. */
    static String version(String schema) {
        return "SELECT version FROM "
                + schema
                + ".flyway_schema_history WHERE success AND version IS NOT NULL"
                + " ORDER BY installed_rank DESC LIMIT 1";
    }

    /** All tables that rows are stored in, by the name that takes rows of every partition. */
    List<String> tables() throws SQLException {
        return text(
                """
                SELECT n.nspname || '.' || c.relname FROM pg_class c
                JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
                    AND c.relname <> 'flyway_schema_history'
                    AND n.nspname || '.' || c.relname <> '%s'
                    AND n.nspname IN ('%s') ORDER BY 1\
                """
                        .formatted(LEFT_OUT, String.join("','", SCHEMAS)));
    }

    Map<String, Long> sequences() throws SQLException {
        Map<String, Long> last = new TreeMap<>();
        String sql =
                "SELECT schemaname || '.' || sequencename, last_value FROM pg_sequences WHERE"
                        + " last_value IS NOT NULL AND schemaname IN ('"
                        + String.join("','", SCHEMAS)
                        + "')";
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                last.put(rows.getString(1), rows.getLong(2));
            }
        }
        return last;
    }

    /**
     * @return rows
     */
    long copyOut(String table, Part part) throws SQLException, IOException {
        try (Pieces pieces = new Pieces(part)) {
            return connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyOut("COPY (SELECT * FROM " + table + ") TO STDOUT", pieces);
        }
    }

    void empty(List<String> tables) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("TRUNCATE " + String.join(", ", tables));
        }
    }

    CopyIn copyIn(String table) throws SQLException {
        return connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn("COPY " + table + " FROM STDIN");
    }

    static void feed(CopyIn copy, InputStream content) throws SQLException, IOException {
        byte[] buffer = new byte[1 << 16];
        for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) {
            copy.writeToCopy(buffer, 0, read);
        }
    }

    void setSequence(String sequence, long last) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT setval(?::regclass, ?)")) {
            statement.setString(1, sequence);
            statement.setLong(2, last);
            statement.execute();
        }
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    void commit() throws SQLException {
        connection.commit();
    }

    private List<String> text(String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                String value = rows.getString(1);
                if (value != null) {
                    values.add(value);
                }
            }
        }
        return values;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** Gathers what COPY says row by row. */
    private static final class Pieces extends OutputStream {

        private final Part part;
        private final byte[] bytes = new byte[PART_BYTES];
        private int length;

        Pieces(Part part) {
            this.part = part;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] given, int offset, int count) throws IOException {
            int taken = 0;
            while (taken < count) {
                int now = Math.min(count - taken, PART_BYTES - length);
                System.arraycopy(given, offset + taken, bytes, length, now);
                length += now;
                taken += now;
                if (length == PART_BYTES) {
                    drain();
                }
            }
        }

        private void drain() throws IOException {
            if (length > 0) {
                part.take(bytes, length);
                length = 0;
            }
        }

        @Override
        public void close() throws IOException {
            drain();
        }
    }
}
