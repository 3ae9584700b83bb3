package dev.muster.embedded;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * How the embedded PostgreSQL runs.
 *
 * @param port the port on 127.0.0.1 that must be used; empty lets the server choose one and keep it
 * @param cacheDirectory where the programs are unpacked; empty means {@code ~/.cache/muster}
 * @param overrides settings of PostgreSQL by name that replace Muster's own; those that make it
 *     durable and private cannot be among them
 */
public record PostgresSettings(
        OptionalInt port, Optional<Path> cacheDirectory, Map<String, String> overrides) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_.]{0,62}");
    private static final Set<String> FIXED =
            Set.of(
                    "fsync",
                    "synchronous_commit",
                    "full_page_writes",
                    "listen_addresses",
                    "port",
                    "unix_socket_directories",
                    "password_encryption",
                    "data_directory",
                    "hba_file",
                    "ident_file",
                    "config_file");

    public PostgresSettings {
        overrides = Map.copyOf(overrides);
        for (String name : overrides.keySet()) {
            if (!NAME.matcher(name).matches()) {
                throw new EmbeddedServerException(
                        "PostgreSQL has no setting named '"
                                + name
                                + "': a name is of a-z, 0-9, _ and .");
            }
            if (FIXED.contains(name)) {
                throw new EmbeddedServerException(
                        "The PostgreSQL setting "
                                + name
                                + " cannot be changed: Muster relies on it.");
            }
        }
    }

    /** A free port, the user's cache, Muster's own settings. */
    public static PostgresSettings defaults() {
        return new PostgresSettings(OptionalInt.empty(), Optional.empty(), Map.of());
    }

    public PostgresSettings withPort(int newPort) {
        return new PostgresSettings(OptionalInt.of(newPort), cacheDirectory, overrides);
    }

    public PostgresSettings withCacheDirectory(Path directory) {
        return new PostgresSettings(port, Optional.of(directory), overrides);
    }

    public PostgresSettings withOverrides(Map<String, String> newOverrides) {
        return new PostgresSettings(port, cacheDirectory, newOverrides);
    }

    /** What goes on the server's command line, in a fixed order. */
    Map<String, String> effective(int chosenPort) {
        Map<String, String> all = new LinkedHashMap<>();
        durable(all);
        all.put("listen_addresses", LoopbackPorts.HOST);
        all.put("port", Integer.toString(chosenPort));
        // No socket file: it would lie in /tmp, and Java could not use it.
        all.put("unix_socket_directories", "");
        all.put("password_encryption", "scram-sha-256");
        tuned(all);
        quiet(all);
        overrides.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(e -> all.put(e.getKey(), e.getValue()));
        return all;
    }

    private static void durable(Map<String, String> all) {
        all.put("fsync", "on");
        all.put("synchronous_commit", "on");
        all.put("full_page_writes", "on");
    }

    private static void tuned(Map<String, String> all) {
        all.put("max_connections", "200");
        all.put("shared_buffers", "256MB");
        all.put("wal_buffers", "16MB");
        // Full pages would be compressed by pglz, which costs more processor time than it saves
        // here.
        all.put("wal_compression", "off");
        // One server, no replicas: less goes to the write-ahead log.
        all.put("wal_level", "minimal");
        all.put("max_wal_senders", "0");
        all.put("max_logical_replication_workers", "0");
        all.put("max_wal_size", "2GB");
        all.put("checkpoint_timeout", "10min");
        all.put("jit", "off");
        all.put("max_parallel_workers_per_gather", "0");
        all.put("random_page_cost", "1.1");
        // A statement whose client was killed ends instead of holding its locks.
        all.put("client_connection_check_interval", "2s");
        all.put("timezone", "UTC");
    }

    // Statements and row values stay out of the log: they may hold what is nobody's business.
    private static void quiet(Map<String, String> all) {
        all.put("log_timezone", "UTC");
        all.put("log_min_messages", "warning");
        all.put("log_checkpoints", "off");
        all.put("log_min_error_statement", "panic");
        all.put("log_error_verbosity", "terse");
    }
}
