package dev.muster.embedded;

import java.util.Properties;

/**
 * How to connect to an embedded PostgreSQL.
 *
 * @param pid the process id of the server (its postmaster)
 */
public record PostgresConnection(
        String host, int port, String database, String user, String password, long pid) {

    /** The address without user or password. */
    public String uri() {
        return "postgresql://" + host + ":" + port + "/" + database;
    }

    /** The address for JDBC, without user or password. */
    public String jdbcUrl() {
        return "jdbc:" + uri();
    }

    Properties toProperties() {
        Properties properties = new Properties();
        properties.setProperty("uri", uri());
        properties.setProperty("host", host);
        properties.setProperty("port", Integer.toString(port));
        properties.setProperty("database", database);
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("pid", Long.toString(pid));
        return properties;
    }

    static PostgresConnection of(Properties properties) {
        ConnectionProperties values = new ConnectionProperties("postgres.properties", properties);
        return new PostgresConnection(
                values.text("host"),
                (int) values.number("port"),
                values.text("database"),
                values.text("user"),
                values.text("password"),
                values.number("pid"));
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "PostgresConnection[" + uri() + ", user=" + user + ", pid=" + pid + "]";
    }
}
