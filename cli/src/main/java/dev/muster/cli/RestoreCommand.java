package dev.muster.cli;

import dev.muster.embedded.EmbeddedServerException;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.journal.RolledStore;
import dev.muster.storage.FileObjectStore;
import dev.muster.storage.ObjectLocation;

import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyIn;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

@Command(
        name = "restore",
        description =
                "Fill an empty data directory from a backup. `muster up` goes on from there: Kafka"
                        + " is filled again from the tables.",
        mixinStandardHelpOptions = true)
final class RestoreCommand implements Callable<Integer> {

    @Parameters(paramLabel = "FILE", description = "What `muster backup` wrote.")
    private Path file = Path.of("");

    @Mixin private ServerOptions options = new ServerOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        DataDirectory directory = options.directory();
        if (!Files.isRegularFile(file)) {
            throw new CommandFailure(ExitCodes.USAGE, "there is no file " + file);
        }
        refuseUsed(directory.path());
        BackupManifest manifest = BackupArchive.read(file, (_, _) -> {});
        for (String schema : manifest.schemas().keySet()) {
            if (!TableCopy.SCHEMAS.contains(schema)) {
                throw new CommandFailure(
                        ExitCodes.FAILED, "the backup has a schema unknown here: " + schema);
            }
        }
        makePrivate(directory.path());
        DataFormat.beginRestore(directory.path());
        restore(directory, manifest);
        DataFormat.endRestore(directory.path());
        spec.commandLine()
                .getOut()
                .printf(
                        "%s holds what was there at %s; go on with: muster up --data-dir %s%n",
                        directory.path(), manifest.madeAt(), directory.path());
        spec.commandLine().getOut().flush();
        return ExitCodes.OK;
    }

    /** Keys will lie in it: a directory that was there may have been anybody's to read. */
    private static void makePrivate(Path directory) throws IOException {
        PrivateFiles.directory(directory);
        try {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCodes.USAGE,
                    directory
                            + " cannot be made readable by its owner alone: "
                            + PrivateFiles.why(e));
        }
    }

    private static void refuseUsed(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> inside = Files.list(directory)) {
            if (inside.findAny().isPresent()) {
                throw new CommandFailure(
                        ExitCodes.USAGE,
                        directory + " is not empty: a backup is restored into a new directory");
            }
        }
    }

    private void restore(DataDirectory directory, BackupManifest manifest) throws IOException {
        Objects objects = new Objects(directory, options);
        BackupArchive.read(
                file,
                (name, content) -> {
                    if (name.startsWith("files/")) {
                        file(directory.path(), name.substring("files/".length()), content);
                    } else if (name.startsWith(BackupCommand.STORE)) {
                        objects.ofJobs(name.substring(BackupCommand.STORE.length()), content);
                    } else if (name.startsWith(BackupCommand.JOURNAL)) {
                        objects.ofTheJournal(
                                name.substring(BackupCommand.JOURNAL.length()), content);
                    }
                });
        // the settings came with it
        Settings settings = options.settings();
        if (!settings.get(PlatformSettings.SQL_PASSWORD).isEmpty()) {
            fillServer(directory, manifest, settings);
            return;
        }
        try (var postgres = EmbeddedStack.postgres(directory.path(), settings)) {
            Settings led = EmbeddedStack.withPostgres(settings, postgres.connection());
            tables(OpenDirectory.fresh(directory, led), manifest, led);
        } catch (EmbeddedServerException e) {
            throw new CommandFailure(ExitCodes.FAILED, String.valueOf(e.getMessage()));
        } catch (SQLException e) {
            throw unfilled(e);
        }
    }

    private static CommandFailure unfilled(SQLException e) {
        return new CommandFailure(
                ExitCodes.FAILED, "the tables cannot be filled: " + e.getMessage());
    }

    /** Whoever runs on this directory will ask the server that its settings name. */
    private void fillServer(DataDirectory directory, BackupManifest manifest, Settings settings) {
        try {
            try (TableCopy tables = new TableCopy(settings, false)) {
                if (!tables.versions().isEmpty()) {
                    throw new CommandFailure(
                            ExitCodes.FAILED,
                            ("the database %s on %s has Muster's tables, and a restore fills an"
                                 + " empty one: empty the directory, name another database with -c"
                                 + " sql.database=NAME, and then in its muster.yaml, too")
                                    .formatted(
                                            settings.get(PlatformSettings.SQL_DATABASE),
                                            settings.get(PlatformSettings.SQL_HOST)));
                }
            }
            tables(OpenDirectory.fresh(directory, settings), manifest, settings);
        } catch (SQLException e) {
            throw unfilled(e);
        }
    }

    private static void file(Path directory, String name, InputStream content) throws IOException {
        if (!BackupCommand.FILES.contains(name)) {
            throw new IOException("it holds an unknown file " + name);
        }
        PrivateFiles.write(
                directory.resolve(name),
                new String(content.readAllBytes(), StandardCharsets.UTF_8));
    }

    private void tables(OpenDirectory open, BackupManifest manifest, Settings led)
            throws SQLException {
        try (open) {
            for (String schema : TableCopy.SCHEMAS) {
                String version = manifest.schemas().get(schema);
                if (version != null) {
                    OpenDirectory.await(open.database().migrateTo(schema, version));
                }
            }
        }
        try (TableCopy tables = new TableCopy(led, false)) {
            tables.empty(tables.tables());
            new Filling(tables).run(file);
            for (Map.Entry<String, Long> each : manifest.sequences().entrySet()) {
                tables.setSequence(each.getKey(), each.getValue());
            }
            if (manifest.schemas().containsKey("scheduler")) {
                // of the Kafka that was: the new one begins at 0
                tables.execute("UPDATE scheduler.pool_head SET offsets = '{}'");
            }
            tables.commit();
        }
    }

    /** The stores that objects come back to. */
    private static final class Objects {

        private static final int IN_MEMORY = 1 << 20;

        private final DataDirectory directory;
        private final ServerOptions options;
        private @Nullable FileObjectStore jobs;
        private @Nullable FileObjectStore journal;

        Objects(DataDirectory directory, ServerOptions options) {
            this.directory = directory;
            this.options = options;
        }

        void ofJobs(String key, InputStream content) throws IOException {
            FileObjectStore store = jobs;
            if (store == null) {
                store = new FileObjectStore(directory.store());
                jobs = store;
            }
            put(store, key, content);
        }

        /** Where the settings say, which have come before. */
        void ofTheJournal(String key, InputStream content) throws IOException {
            FileObjectStore store = journal;
            if (store == null) {
                store =
                        new FileObjectStore(
                                RolledStore.folder(options.settings())
                                        .orElse(directory.path().resolve(RolledStore.FOLDER)));
                journal = store;
            }
            put(store, key, content);
        }

        private void put(FileObjectStore store, String key, InputStream content)
                throws IOException {
            ObjectLocation object = ObjectLocation.parse("obs://" + key);
            byte[] first = content.readNBytes(IN_MEMORY);
            if (first.length < IN_MEMORY) {
                store.write(object, new ByteArrayInputStream(first), first.length);
                return;
            }
            // the store wants the length before: a large one goes through a file, beside its place,
            // where there has to be room for it anyway
            Path spool = Files.createTempFile(directory.path(), ".restore", "");
            try {
                try (var out = Files.newOutputStream(spool)) {
                    out.write(first);
                    content.transferTo(out);
                }
                try (InputStream in = Files.newInputStream(spool)) {
                    store.write(object, in, Files.size(spool));
                }
            } finally {
                Files.delete(spool);
            }
        }
    }

    /** Puts the parts of each table together again. */
    private static final class Filling {

        private final TableCopy tables;
        private String table = "";
        private @Nullable CopyIn copy;

        Filling(TableCopy tables) {
            this.tables = tables;
        }

        void run(Path file) throws SQLException {
            try {
                BackupArchive.read(file, this::visit);
            } catch (Failed e) {
                throw e.cause;
            }
            end();
        }

        private void visit(String name, InputStream content) throws IOException {
            if (!name.startsWith("tables/")) {
                return;
            }
            String next = name.substring("tables/".length(), name.lastIndexOf('/'));
            try {
                CopyIn current = copy;
                if (current == null || !next.equals(table)) {
                    end();
                    current = begin(next);
                }
                TableCopy.feed(current, content);
            } catch (SQLException e) {
                throw new Failed(e);
            }
        }

        private CopyIn begin(String next) throws SQLException {
            if (!tables.tables().contains(next)) {
                throw new SQLException("there is no table " + next);
            }
            table = next;
            CopyIn begun = tables.copyIn(next);
            copy = begun;
            return begun;
        }

        private void end() throws SQLException {
            CopyIn last = copy;
            if (last != null) {
                last.endCopy();
                copy = null;
            }
        }
    }

    /** Carries PostgreSQL's refusal out of the archive's walk. */
    private static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final SQLException cause;

        Failed(SQLException cause) {
            super(cause);
            this.cause = cause;
        }
    }
}
