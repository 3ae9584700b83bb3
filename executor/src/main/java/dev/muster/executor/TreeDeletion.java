package dev.muster.executor;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/** Deletes folders that nobody writes to any more. Links are deleted, never followed. */
final class TreeDeletion {

    private TreeDeletion() {}

    /** Deletes what lies in the folder, which need not exist, and keeps the folder. */
    static void deleteBelow(Path folder) throws IOException {
        delete(folder, true);
    }

    /** Deletes the folder, which need not exist. */
    static void delete(Path folder) throws IOException {
        delete(folder, false);
    }

    private static void delete(Path folder, boolean keep) throws IOException {
        try {
            Files.walkFileTree(folder, new Visitor(folder, keep));
        } catch (NoSuchFileException e) {
            return; // deleted already
        }
    }

    private static final class Visitor extends SimpleFileVisitor<Path> {

        private final Path top;
        private final boolean keepTop;

        Visitor(Path top, boolean keepTop) {
            this.top = top;
            this.keepTop = keepTop;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (!Files.isDirectory(file, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
                throw e;
            }
            // a folder that its own user may not enter: made enterable once, then tried again
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
            delete(file, false);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e)
                throws IOException {
            if (!keepTop || !directory.equals(top)) {
                Files.deleteIfExists(directory);
            }
            return FileVisitResult.CONTINUE;
        }
    }
}
