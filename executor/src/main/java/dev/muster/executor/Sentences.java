package dev.muster.executor;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Failures of the machine in words for the user, with the path that they are about. */
final class Sentences {

    private Sentences() {}

    static String of(IOException failure) {
        return switch (failure) {
            case NoSuchFileException e -> e.getFile() + " does not exist";
            case AccessDeniedException e -> e.getFile() + " may not be written or read";
            case FileSystemException e when e.getReason() != null ->
                    e.getFile() + ": " + e.getReason();
            default -> String.valueOf(failure.getMessage());
        };
    }
}
