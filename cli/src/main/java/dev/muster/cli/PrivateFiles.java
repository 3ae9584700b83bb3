package dev.muster.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Files that only their owner may read. */
final class PrivateFiles {

    private PrivateFiles() {}

    static void directory(Path path) throws IOException {
        Files.createDirectories(
                path,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /** Whole or not at all: written beside its place and renamed. */
    static void write(Path file, String text) throws IOException {
        Path temporary =
                Files.createTempFile(
                        file.toAbsolutePath().getParent(),
                        "." + file.getFileName(),
                        "",
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        Files.writeString(temporary, text);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Makes a new and empty file.
     *
     * @return it
     */
    static Path empty(Path file) throws IOException {
        return Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    /** What a user understands of a failed file operation. */
    static String why(IOException e) {
        return switch (e) {
            case AccessDeniedException ignored -> "permission denied";
            case FileAlreadyExistsException ignored -> "a file is in its place";
            case FileSystemException f when f.getReason() != null -> f.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }
}
