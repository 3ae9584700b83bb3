package dev.muster.agent;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * Small files that agent and supervisor share: written by rename, so that a reader, or a process
 * after a crash, sees the old one or the new one.
 */
final class ControlFiles {

    private ControlFiles() {}

    static void createClosedDirectory(Path directory) throws IOException {
        try {
            Files.createDirectory(
                    directory,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                throw e;
            }
        }
    }

    static void write(Path control, String name, String text) throws IOException {
        Path next = control.resolve(name + ".new");
        Files.writeString(next, text, StandardCharsets.UTF_8);
        Files.move(
                next,
                control.resolve(name),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    static Optional<String> read(Path control, String name) throws IOException {
        Path file = control.resolve(name);
        // most looks find most files missing, and exceptions are dear
        if (file.getFileSystem().provider().readAttributesIfExists(file, BasicFileAttributes.class)
                == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.readString(file, StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
