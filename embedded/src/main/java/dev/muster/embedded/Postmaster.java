package dev.muster.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What {@code postmaster.pid} says about the server of a data directory. */
record Postmaster(Path data, long pid, int port, String status) {
    private static final Path PROC = Path.of("/proc");
    private static final int LINE_PID = 0;
    private static final int LINE_PORT = 3;
    private static final int LINE_STATUS = 7;

    /** Empty when there is no such file, or it is only half written. */
    static Optional<Postmaster> read(Path data) {
        try {
            List<String> lines = Files.readAllLines(data.resolve("postmaster.pid"));
            if (lines.size() <= LINE_STATUS) {
                return Optional.empty();
            }
            return Optional.of(
                    new Postmaster(
                            data,
                            Long.parseLong(lines.get(LINE_PID).strip()),
                            Integer.parseInt(lines.get(LINE_PORT).strip()),
                            lines.get(LINE_STATUS).strip()));
        } catch (IOException | NumberFormatException _) {
            return Optional.empty();
        }
    }

    boolean isReady() {
        return status.equals("ready");
    }

    /**
     * Whether that process is really a server of this data directory: not a zombie, and not another
     * process that was given the same number since.
     */
    boolean isAlive() {
        return serves(pid, data);
    }

    /**
     * Whether a process of PostgreSQL still works in a data directory, the postmaster or another.
     */
    static boolean anyServes(Path data) {
        try (Stream<Path> processes = Files.list(PROC)) {
            return processes
                    .map(process -> process.getFileName().toString())
                    .filter(name -> name.chars().allMatch(Character::isDigit))
                    .anyMatch(name -> serves(Long.parseLong(name), data));
        } catch (IOException _) {
            return false;
        }
    }

    private static boolean serves(long pid, Path data) {
        Path process = PROC.resolve(Long.toString(pid));
        if (isDead(process)) {
            return false;
        }
        try {
            Path program = Files.readSymbolicLink(process.resolve("exe"));
            Path directory = Files.readSymbolicLink(process.resolve("cwd"));
            // A program that was replaced since shows as "postgres (deleted)".
            return program.getFileName().toString().startsWith("postgres")
                    && directory.equals(data);
        } catch (IOException _) {
            return commandNames(process, data);
        }
    }

    private static boolean isDead(Path process) {
        try {
            // pid (name) state …; the name may hold anything, a ')' too.
            String stat = Files.readString(process.resolve("stat"));
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state == 'Z' || state == 'X';
        } catch (IOException | IndexOutOfBoundsException _) {
            return true;
        }
    }

    // Links of another user's process cannot be read without CAP_SYS_PTRACE; its command line can.
    private static boolean commandNames(Path process, Path data) {
        try {
            List<String> words =
                    List.of(Files.readString(process.resolve("cmdline")).split("\0", -1));
            return words.getFirst().endsWith("/postgres") && words.contains(data.toString());
        } catch (IOException _) {
            return false;
        }
    }
}
