package dev.muster.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The version of a data directory's layout, in its file {@code format}. A newer Muster brings an
 * older directory up to date; an older one refuses what it may not understand. The tables have
 * versions of their own, one for each schema, which PostgreSQL keeps.
 */
final class DataFormat {

    /** 1 had no such file; since 2 the file is there, and a directory may be a restored one. */
    static final int VERSION = 2;

    static final String FILE = "format";
    private static final String UNFINISHED = "restoring";

    private DataFormat() {}

    /**
     * @throws CommandFailure with one sentence if this version may not open the directory
     */
    static void open(Path directory) {
        if (check(directory) < VERSION) {
            write(directory);
        }
    }

    /**
     * @return the version found
     * @throws CommandFailure with one sentence if this version may not even look at it
     */
    static int check(Path directory) {
        if (Files.exists(directory.resolve(UNFINISHED))) {
            throw new CommandFailure(
                    ExitCodes.FAILED,
                    "a restore into "
                            + directory
                            + " did not come to its end: delete the directory and restore again");
        }
        int found = version(directory);
        if (found > VERSION) {
            throw new CommandFailure(
                    ExitCodes.FAILED,
                    "the data directory "
                            + directory
                            + " has format "
                            + found
                            + ", written by a newer Muster; this one knows formats up to "
                            + VERSION
                            + ": start the newer one, or restore a backup of before into another"
                            + " directory");
        }
        return found;
    }

    /** 1 without a file. */
    private static int version(Path directory) {
        Path file = directory.resolve(FILE);
        if (!Files.exists(file)) {
            return 1;
        }
        Optional<String> line = DataDirectory.line(file);
        try {
            return Integer.parseInt(line.orElse(""));
        } catch (NumberFormatException e) {
            throw new CommandFailure(
                    ExitCodes.FAILED,
                    file
                            + " says \""
                            + line.orElse("")
                            + "\" where a whole number belongs: which Muster wrote this directory"
                            + " is not known");
        }
    }

    private static void write(Path directory) {
        try {
            PrivateFiles.write(directory.resolve(FILE), VERSION + "\n");
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCodes.FAILED,
                    directory.resolve(FILE) + " cannot be written: " + PrivateFiles.why(e));
        }
    }

    static void beginRestore(Path directory) throws IOException {
        PrivateFiles.write(directory.resolve(UNFINISHED), "\n");
    }

    static void endRestore(Path directory) throws IOException {
        write(directory);
        Files.delete(directory.resolve(UNFINISHED));
    }
}
