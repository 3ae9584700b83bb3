package dev.muster.cli;

import dev.muster.storage.ObjectLocation;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** Puts the objects of a folder that is an object store into a backup. */
final class BackupFolder {

    private final Path root;
    private final String entry;
    private final BackupArchive.Writer archive;
    private final List<String> leftOut = new ArrayList<>();
    private long objects;

    /**
     * @param entry first part of the names in the archive
     */
    private BackupFolder(Path root, String entry, BackupArchive.Writer archive) {
        this.root = root;
        this.entry = entry;
        this.archive = archive;
    }

    /**
     * What became of the files of a folder.
     *
     * @param leftOut files that are no objects and could not be restored as such
     */
    record Put(long objects, List<String> leftOut) {}

    /**
     * @throws CommandFailure naming the file, if one is there and cannot be read
     */
    static Put put(Path folder, String entry, BackupArchive.Writer archive) throws IOException {
        if (!Files.isDirectory(folder)) {
            return new Put(0, List.of());
        }
        BackupFolder objects = new BackupFolder(folder.toRealPath(), entry, archive);
        objects.walk();
        return new Put(objects.objects, objects.leftOut);
    }

    private void walk() throws IOException {
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
                            file(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException e) {
                        if (e instanceof NoSuchFileException) {
                            return FileVisitResult.CONTINUE; // deleted meanwhile
                        }
                        throw unreadable(file, e);
                    }
                });
    }

    private void file(Path file) throws IOException {
        String name = root.relativize(file).toString();
        if (isObject(name)) {
            object(file, name);
        } else {
            leftOut.add(file.toString());
        }
    }

    /** Whether a store can be asked for it, here and where it is restored. */
    private static boolean isObject(String name) {
        try {
            return !ObjectLocation.parse("obs://" + name).key().isEmpty();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** An object is replaced by rename: the open file stays as it was. */
    private void object(Path file, String name) throws IOException {
        FileChannel opened;
        try {
            opened = FileChannel.open(file);
        } catch (NoSuchFileException e) {
            return; // deleted since the folder was listed
        } catch (IOException e) {
            throw unreadable(file, e);
        }
        try (FileChannel channel = opened;
                InputStream content = Channels.newInputStream(channel)) {
            archive.put(entry + name, content, channel.size());
            objects++;
        }
    }

    private static CommandFailure unreadable(Path file, IOException e) {
        return new CommandFailure(
                ExitCodes.FAILED,
                file + " cannot be read, so the backup would lack it: " + PrivateFiles.why(e));
    }
}
