package dev.muster.cli;

import com.sun.management.UnixOperatingSystemMXBean;

import dev.muster.platform.config.Settings;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** This machine: disk, inodes, open files, JDK. */
final class DoctorMachine implements Doctor.Check {

    private static final int LEAST_JDK = 25;

    private final Path directory;
    private final Settings settings;

    DoctorMachine(Path directory, Settings settings) {
        this.directory = directory;
        this.settings = settings;
    }

    @Override
    public void examine(List<Finding> findings) {
        findings.add(space());
        findings.add(inodes());
        findings.add(openFiles());
        int jdk = Runtime.version().feature();
        findings.add(
                Finding.of(
                        jdk >= LEAST_JDK,
                        "jdk",
                        Runtime.version().toString(),
                        "at least " + LEAST_JDK,
                        "install a newer JDK and point JAVA_HOME to it"));
    }

    private Finding space() {
        int percent = settings.get(DoctorSettings.DISK_PERCENT);
        int mebibytes = settings.get(DoctorSettings.DISK_MEBIBYTES);
        String threshold = "at least " + percent + " % and " + mebibytes + " MiB";
        try {
            FileStore store = Files.getFileStore(directory);
            long free = store.getUsableSpace() >> 20;
            long total = Math.max(1, store.getTotalSpace() >> 20);
            return Finding.of(
                    free >= mebibytes && free * 100 >= (long) percent * total,
                    "disk.space",
                    "%d MiB of %d MiB free at %s".formatted(free, total, directory),
                    threshold,
                    "free space or move the data directory: PostgreSQL stops when it is full;"
                            + " executor.local.keepAttempts and keepHours bound old logs");
        } catch (IOException e) {
            return Finding.wrong(
                    "disk.space",
                    "cannot be read: " + PrivateFiles.why(e),
                    threshold,
                    "see whether the data directory is mounted");
        }
    }

    private Finding inodes() {
        int percent = settings.get(DoctorSettings.INODES_PERCENT);
        Optional<long[]> found = dfInodes();
        if (found.isEmpty()) {
            return Finding.skipped("disk.inodes", "df -Pi tells nothing of this file system");
        }
        long total = found.get()[0];
        long free = found.get()[1];
        return Finding.of(
                free * 100 >= percent * total,
                "disk.inodes",
                "%d of %d free at %s".formatted(free, total, directory),
                "at least " + percent + " %",
                "delete small files or make a file system with more inodes: no file can be made"
                        + " when they are used up");
    }

    /** Total and free; Java cannot ask for inodes. Empty where a file system has no such number. */
    private Optional<long[]> dfInodes() {
        try {
            Process df =
                    new ProcessBuilder("df", "-Pi", directory.toString())
                            .redirectErrorStream(true)
                            .start();
            df.getOutputStream().close();
            String out = new String(df.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            List<String> words = List.of(out.lines().skip(1).findFirst().orElse("").split("\\s+"));
            long total = Long.parseLong(words.get(1));
            return total == 0
                    ? Optional.empty()
                    : Optional.of(new long[] {total, Long.parseLong(words.get(3))});
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    private Finding openFiles() {
        int least = settings.get(DoctorSettings.OPEN_FILES);
        if (!(ManagementFactory.getOperatingSystemMXBean()
                instanceof UnixOperatingSystemMXBean system)) {
            return Finding.skipped("files.limit", "this system tells no limit");
        }
        long limit = system.getMaxFileDescriptorCount();
        return Finding.of(
                limit >= least,
                "files.limit",
                limit + " open files a process",
                "at least " + least,
                "raise it with ulimit -n, or LimitNOFILE of the systemd unit");
    }
}
