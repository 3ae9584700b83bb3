package dev.muster.cli;

import dev.muster.platform.http.Tokens;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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
            store(open.directory().store(), archive);
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

    private void store(Path store, BackupArchive.Writer archive) throws IOException {
        if (!Files.isDirectory(store)) {
            return;
        }
        Path root = store.toRealPath();
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes a) {
                        // uploads that are not objects yet
                        return folder.getFileName().toString().equals(".uploads")
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        if (attributes.isRegularFile()) {
                            object(root, file, archive);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    /** An object is replaced by rename: the open file stays as it was. */
    private void object(Path root, Path file, BackupArchive.Writer archive) throws IOException {
        try (FileChannel channel = FileChannel.open(file);
                InputStream content = Channels.newInputStream(channel)) {
            archive.put("store/" + root.relativize(file), content, channel.size());
            objects++;
        } catch (NoSuchFileException e) {
            // deleted since the folder was listed
        }
    }
}
