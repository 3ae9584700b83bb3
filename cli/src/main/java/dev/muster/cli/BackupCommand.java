package dev.muster.cli;

import dev.muster.platform.http.Tokens;
import dev.muster.platform.journal.RolledStore;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;

@Command(
        name = "backup",
        description =
                "Write all that a data directory must not lose into one file: every table as of one"
                    + " moment, its object store, settings and keys. Works while Muster runs and"
                    + " while it does not. The file holds secrets; only its owner can read it.",
        mixinStandardHelpOptions = true)
final class BackupCommand implements Callable<Integer> {

    static final List<String> FILES =
            List.of("muster.yaml", Tokens.API_FILE, Tokens.SERVICE_FILE, Tokens.SECRETS_FILE);

    /** First parts of the names of objects in the file. */
    static final String STORE = "store/";

    static final String JOURNAL = "journal/";

    private static final String ROLLED_PARTS = "scheduler.rolled_part";
    private static final String ROLLED_WEEKS = "scheduler.rolled_week";

    @Parameters(
            paramLabel = "FILE",
            description = "The file to make, or a directory to make one in.")
    private Path target = Path.of("");

    @Mixin private ServerOptions options = new ServerOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    private long objects;

    @Override
    public Integer call() throws IOException {
        Path file = file();
        if (Files.exists(file)) {
            throw new CommandFailure(
                    ExitCodes.USAGE, file + " exists: a backup never replaces a file");
        }
        Path unfinished = file.resolveSibling("." + file.getFileName() + ".part");
        BackupManifest manifest;
        try (OpenDirectory open = OpenDirectory.of(options)) {
            manifest = write(open, unfinished);
            finish(unfinished, file);
        } catch (SQLException e) {
            throw new CommandFailure(
                    ExitCodes.FAILED, "the tables cannot be read: " + e.getMessage());
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCodes.FAILED, file + " cannot be written: " + PrivateFiles.why(e));
        } finally {
            Files.deleteIfExists(unfinished);
        }
        long rows = manifest.rows().values().stream().mapToLong(Long::longValue).sum();
        spec.commandLine()
                .getOut()
                .printf("%s: %d rows, %d objects%n", file, rows, manifest.objects());
        spec.commandLine().getOut().flush();
        return ExitCodes.OK;
    }

    /** On the disk before it has its name. */
    private static void finish(Path unfinished, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(unfinished, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private Path file() {
        if (!Files.isDirectory(target)) {
            return target.toAbsolutePath();
        }
        return target.resolve("muster-" + BackupArchive.stamp() + ".backup").toAbsolutePath();
    }

    private BackupManifest write(OpenDirectory open, Path file) throws SQLException, IOException {
        try (BackupArchive.Writer archive = new BackupArchive.Writer(file)) {
            for (String each : FILES) {
                Path source = open.directory().path().resolve(each);
                if (Files.exists(source)) {
                    archive.put("files/" + each, Files.readString(source));
                }
            }
            Map<String, Long> rows = new TreeMap<>();
            Map<String, String> versions;
            Map<String, Long> sequences;
            try (TableCopy tables = new TableCopy(open.settings(), true)) {
                versions = tables.versions();
                for (String each : tables.tables()) {
                    int[] part = {0};
                    rows.put(
                            each,
                            tables.copyOut(
                                    each,
                                    (bytes, length) ->
                                            archive.put(
                                                    "tables/%s/%06d".formatted(each, part[0]++),
                                                    bytes,
                                                    length)));
                }
                // after the rows: a number that was given meanwhile is skipped, never given again
                sequences = tables.sequences();
            }
            // after the tables, so that every object that they name is there
            objects(open.directory().store(), STORE, archive);
            rolledWeeks(RolledStore.folder(open.settings()), rows, archive);
            BackupManifest manifest =
                    new BackupManifest(
                            BackupManifest.FORMAT,
                            Instant.now().toString(),
                            versions,
                            rows,
                            sequences,
                            objects,
                            archive.digest());
            archive.put(BackupManifest.ENTRY, manifest.json());
            return manifest;
        }
    }

    /** The tables' rows say how many objects there are at least. */
    private void rolledWeeks(
            Optional<Path> folder, Map<String, Long> rows, BackupArchive.Writer archive)
            throws IOException {
        long named = rows.getOrDefault(ROLLED_PARTS, 0L) + rows.getOrDefault(ROLLED_WEEKS, 0L);
        long found = folder.isPresent() ? objects(folder.get(), JOURNAL, archive) : 0;
        if (found < named) {
            throw new CommandFailure(
                    ExitCodes.FAILED,
                    "the old weeks of the journal are in "
                            + named
                            + " objects, of which "
                            + found
                            + " are in "
                            + folder.map(Path::toString).orElse("no folder")
                            + ", so the backup would lack some: see journal.store");
        }
    }

    private long objects(Path folder, String entry, BackupArchive.Writer archive)
            throws IOException {
        BackupFolder.Put put = BackupFolder.put(folder, entry, archive);
        objects += put.objects();
        for (String each : put.leftOut()) {
            spec.commandLine().getErr().println(each + " is no object: it is left out");
        }
        spec.commandLine().getErr().flush();
        return put.objects();
    }
}
