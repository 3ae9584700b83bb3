package dev.muster.embedded;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;

/** Turns what the operating system says into one sentence. */
final class Sentences {
    private static final String NO_SPACE = "No space left on device";

    private Sentences() {}

    static EmbeddedServerException unwritable(Path directory, IOException cause) {
        String reason = reason(cause);
        if (reason.contains(NO_SPACE.toLowerCase(Locale.ROOT))) {
            return noSpace(directory, cause);
        }
        return new EmbeddedServerException(
                "Data directory "
                        + directory
                        + " cannot be written ("
                        + reason
                        + "): make it writable or choose another.",
                cause);
    }

    static EmbeddedServerException noSpace(Path directory, Throwable cause) {
        return new EmbeddedServerException(noSpace(directory), cause);
    }

    static String noSpace(Path directory) {
        return "No space is left on the disk of " + directory + ": free some, then start again.";
    }

    static boolean saysNoSpace(String output) {
        return output.contains(NO_SPACE);
    }

    static EmbeddedServerException portInUse(String server, int port) {
        return new EmbeddedServerException(
                "The port "
                        + port
                        + " that is configured for "
                        + server
                        + " is in use on 127.0.0.1: stop what listens there or configure another.");
    }

    private static String reason(IOException cause) {
        return switch (cause) {
            case AccessDeniedException _ -> "permission denied";
            case FileAlreadyExistsException e -> e.getFile() + " is not a directory";
            case NotDirectoryException e -> e.getFile() + " is not a directory";
            case NoSuchFileException e -> e.getFile() + " does not exist";
            case FileSystemException e when e.getReason() != null ->
                    e.getReason().toLowerCase(Locale.ROOT);
            default -> String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
        };
    }
}
