package dev.muster.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** PostgreSQL's data directory: made on first start, checked on every other. */
final class PostgresCluster {
    static final String DATABASE = "muster";
    static final String USER = "muster";

    private static final String MAJOR_VERSION = "18";
    private static final Duration INIT_LIMIT = Duration.ofMinutes(2);
    private static final String ACCESS =
            """
            # Only by password, only from this machine.
            host all all 127.0.0.1/32 scram-sha-256
            """;

    private final Path binaries;
    private final ServerUser user;
    private final Path data;

    PostgresCluster(Path binaries, ServerUser user, Path data) {
        this.binaries = binaries;
        this.user = user;
        this.data = data;
    }

    Path data() {
        return data;
    }

    /** The command line that runs a program of PostgreSQL as the right user. */
    List<String> program(String name, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(binaries.resolve("bin").resolve(name).toString());
        command.addAll(List.of(arguments));
        return user.wrap(command);
    }

    static List<String> options(Map<String, String> settings) {
        List<String> options = new ArrayList<>();
        settings.forEach((name, value) -> {
            options.add("-c");
            options.add(name + "=" + value);
        });
        return options;
    }

    /**
     * Makes the data directory with a role and a database {@code muster}. It is made aside and
     * renamed, so an interrupted attempt leaves nothing that looks finished.
     */
    void ensureExists(String password) {
        Path version = data.resolve("PG_VERSION");
        try {
            if (Files.exists(version)) {
                check(Files.readString(version).strip());
                return;
            }
            Path aside = data.resolveSibling(data.getFileName() + ".new");
            ServerDirectory.deleteAll(aside);
            Path above = data.resolveSibling("").normalize();
            if (!Files.isDirectory(above)) {
                Files.createDirectories(above);
            }
            Files.createDirectory(
                    aside, PosixFilePermissions.asFileAttribute(ServerDirectory.OWNER_ONLY));
            user.own(aside);
            initialize(aside, password);
            Files.move(aside, data, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw Sentences.unwritable(data, e);
        }
    }

    private void check(String version) {
        if (!version.equals(MAJOR_VERSION)) {
            throw new EmbeddedServerException(
                    "Data directory "
                            + data
                            + " was written by PostgreSQL "
                            + version
                            + " and this is PostgreSQL "
                            + MAJOR_VERSION
                            + ": choose another, or start it with the Muster that made it.");
        }
    }

    private void initialize(Path aside, String password) throws IOException {
        // The superuser gets no password, so nobody can log in as it.
        List<String> initdb =
                program(
                        "initdb",
                        "--pgdata=" + aside,
                        "--username=postgres",
                        "--auth=reject",
                        "--encoding=UTF8",
                        "--locale=C",
                        "--locale-provider=builtin",
                        "--builtin-locale=C.UTF-8",
                        "--no-instructions");
        run("initdb", initdb, "");
        Files.writeString(aside.resolve("pg_hba.conf"), ACCESS);
        String statements =
                "CREATE ROLE "
                        + USER
                        + " LOGIN CREATEDB PASSWORD '"
                        + password
                        + "' IN ROLE pg_monitor, pg_checkpoint, pg_signal_backend\n"
                        + "CREATE DATABASE "
                        + DATABASE
                        + " OWNER "
                        + USER
                        + "\n";
        List<String> single =
                program(
                        "postgres",
                        "--single",
                        "-D",
                        aside.toString(),
                        "-c",
                        "exit_on_error=on",
                        "-c",
                        "log_min_error_statement=panic",
                        "postgres");
        run("postgres --single", single, statements);
    }

    private void run(String name, List<String> command, String input) throws IOException {
        Command.Outcome outcome = Command.run(command, input, INIT_LIMIT);
        if (outcome.succeeded()) {
            return;
        }
        if (Sentences.saysNoSpace(outcome.output())) {
            throw new EmbeddedServerException(Sentences.noSpace(data));
        }
        throw new EmbeddedServerException(
                "PostgreSQL's data directory "
                        + data
                        + " could not be made: "
                        + name
                        + " said '"
                        + PostgresLog.complaint(outcome.output())
                        + "'.");
    }
}
