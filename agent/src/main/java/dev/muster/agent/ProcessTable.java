package dev.muster.agent;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The machine's processes, as {@code /proc} tells them. */
final class ProcessTable {

    private static final Path PROC = Path.of("/proc");

    /** USER_HZ, the same on every Linux that a JDK runs on. */
    private static final int TICKS_PER_SECOND = 100;

    /**
     * One process at one moment.
     *
     * @param state one letter; Z and X are dead
     * @param startTicks since boot: with the pid it names a process for ever
     */
    record Entry(long pid, char state, long parent, long session, long startTicks) {
        boolean dead() {
            return state == 'Z' || state == 'X';
        }
    }

    private static volatile String bootId = "";

    private ProcessTable() {}

    /** A process that exists, dead ones that were not reaped included. */
    static Optional<Entry> find(long pid) {
        return text(pid, "stat").flatMap(ProcessTable::parse);
    }

    static boolean lives(long pid, long startTicks) {
        return find(pid)
                .filter(entry -> entry.startTicks() == startTicks && !entry.dead())
                .isPresent();
    }

    /** All that live. */
    static List<Entry> living() throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (DirectoryStream<Path> pids = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path pid : pids) {
                find(Long.parseLong(String.valueOf(pid.getFileName())))
                        .filter(entry -> !entry.dead())
                        .ifPresent(entries::add);
            }
        }
        return entries;
    }

    static Optional<String> environment(long pid) {
        return text(pid, "environ");
    }

    static Optional<String> commandLine(long pid) {
        return text(pid, "cmdline");
    }

    /** Read and written so far, files, pipes and sockets alike. */
    static OptionalLong bytesMoved(long pid) {
        Optional<String> io = text(pid, "io");
        if (io.isEmpty()) {
            return OptionalLong.empty();
        }
        long sum = 0;
        for (String line : io.get().split("\n", -1)) {
            if (line.startsWith("rchar: ") || line.startsWith("wchar: ")) {
                sum += Long.parseLong(line.substring("rchar: ".length()));
            }
        }
        return OptionalLong.of(sum);
    }

    /** Identity of the process's PID namespace. */
    static Optional<String> namespace(long pid) {
        return link(pid, "ns/pid");
    }

    /** What a file descriptor is open on. */
    static Optional<String> openFile(long pid, int descriptor) {
        return link(pid, "fd/" + descriptor);
    }

    /** Changes with every boot of the machine. */
    static String bootId() throws IOException {
        String known = bootId;
        if (known.isEmpty()) {
            known = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
            bootId = known; // no process lives through a boot
        }
        return known;
    }

    /** How long ago a process began that did so this many ticks after the machine. */
    static long ageNanos(long startTicks) throws IOException {
        String uptime = Files.readString(PROC.resolve("uptime"));
        double seconds = Double.parseDouble(uptime.substring(0, uptime.indexOf(' ')));
        return Math.max(0, Math.round((seconds - (double) startTicks / TICKS_PER_SECOND) * 1e9));
    }

    private static Optional<Entry> parse(String stat) {
        // the command's name may hold spaces and parentheses: fields are counted from its end
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Optional.of(
                new Entry(
                        Long.parseLong(stat.substring(0, stat.indexOf(' '))),
                        fields[0].charAt(0),
                        Long.parseLong(fields[1]),
                        Long.parseLong(fields[3]),
                        Long.parseLong(fields[19])));
    }

    private static Optional<String> text(long pid, String name) {
        try {
            // environments need not be UTF-8
            byte[] bytes = Files.readAllBytes(PROC.resolve(pid + "/" + name));
            return bytes.length == 0
                    ? Optional.empty()
                    : Optional.of(new String(bytes, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return Optional.empty(); // it ended meanwhile, or is not ours to read
        }
    }

    private static Optional<String> link(long pid, String name) {
        try {
            return Optional.of(Files.readSymbolicLink(PROC.resolve(pid + "/" + name)).toString());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
