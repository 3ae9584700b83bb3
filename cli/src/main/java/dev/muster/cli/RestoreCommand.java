package dev.muster.cli;

import dev.muster.embedded.EmbeddedServerException;
import dev.muster.platform.config.Settings;
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

    private static final int OBJECT_IN_MEMORY = 1 << 20;

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
        PrivateFiles.directory(directory.path());
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
        FileObjectStore store = new FileObjectStore(directory.store());
        BackupArchive.read(
                file,
                (name, content) -> {
                    if (name.startsWith("files/")) {
                        file(directory.path(), name.substring("files/".length()), content);
                    } else if (name.startsWith("store/")) {
                        object(store, name.substring("store/".length()), content);
                    }
                });
        // the settings came with it
        Settings settings = options.settings();
        try (var postgres = EmbeddedStack.postgres(directory.path(), settings)) {
            Settings led = EmbeddedStack.withPostgres(settings, postgres.connection());
            tables(OpenDirectory.fresh(directory, led), manifest, led);
        } catch (EmbeddedServerException e) {
            throw new CommandFailure(ExitCodes.FAILED, String.valueOf(e.getMessage()));
        } catch (SQLException e) {
            throw new CommandFailure(
                    ExitCodes.FAILED, "the tables cannot be filled: " + e.getMessage());
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

    private static void object(FileObjectStore store, String key, InputStream content)
            throws IOException {
        ObjectLocation object = ObjectLocation.parse("obs://" + key);
        byte[] first = content.readNBytes(OBJECT_IN_MEMORY);
        if (first.length < OBJECT_IN_MEMORY) {
            store.write(object, new ByteArrayInputStream(first), first.length);
            return;
        }
        // the store wants the length before: a large one goes through a file
        Path spool = Files.createTempFile("muster-restore", "");
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
