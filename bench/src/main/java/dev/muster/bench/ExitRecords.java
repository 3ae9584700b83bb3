package dev.muster.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;

/** A file that every job's command appends a line with its id to, whoever runs it. */
final class ExitRecords implements AutoCloseable {

    private final Path directory;
    private final Path file;

    private ExitRecords(Path directory, Path file) {
        this.directory = directory;
        this.file = file;
    }

    static ExitRecords create() {
        try {
            Path directory = Files.createTempDirectory("muster-records");
            Path file = Files.createFile(directory.resolve("ids"));
            // commands may run as another user
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw--w--w-"));
            return new ExitRecords(directory, file);
        } catch (IOException e) {
            throw new BenchFailed("no file of exit records can be made: " + e.getMessage(), e);
        }
    }

    /** The command of every job, the same for whatever runs it: it finds its id itself. */
    String command() {
        return "echo ${MA_VJ_NAME:-$SLURM_JOB_ID} >> " + file;
    }

    void clear() {
        try {
            Files.writeString(file, "");
        } catch (IOException e) {
            throw new BenchFailed("the exit records cannot be emptied: " + e.getMessage(), e);
        }
    }

    /** Fails unless as many ids were written, each once. */
    void check(int jobs) {
        try (Stream<String> lines = Files.lines(file)) {
            long distinct = lines.distinct().count();
            long all;
            try (Stream<String> again = Files.lines(file)) {
                all = again.count();
            }
            if (distinct != jobs || all != jobs) {
                throw new BenchFailed(
                        "%d jobs left %d exit records of %d ids".formatted(jobs, all, distinct));
            }
        } catch (IOException e) {
            throw new BenchFailed("the exit records cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            Progress.say("the exit records stay in " + directory);
        }
    }
}
