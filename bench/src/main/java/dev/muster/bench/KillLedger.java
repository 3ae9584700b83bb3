package dev.muster.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What the commands themselves write down, outside everything that Muster keeps: a line as one
 * begins and a line as it comes to its end, with the mark of its process start, {@code
 * job.attempt.index.incarnation.number}.
 */
final class KillLedger implements AutoCloseable {

    private static final String BEGIN = "S ";
    private static final String END = "E ";

    private final Path directory;
    private final Path lines;

    private KillLedger(Path directory) {
        this.directory = directory;
        this.lines = directory.resolve("lines");
    }

    /**
     * Makes one that every user of this machine can write to, since commands may run as another.
     */
    static KillLedger create() {
        try {
            Path directory = Files.createTempDirectory("muster-kill-ledger");
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
            KillLedger ledger = new KillLedger(directory);
            Files.createFile(ledger.lines);
            Files.setPosixFilePermissions(
                    ledger.lines, PosixFilePermissions.fromString("rw-rw-rw-"));
            return ledger;
        } catch (IOException e) {
            throw new BenchFailed("no ledger can be made: " + e.getMessage(), e);
        }
    }

    /** The command between its two lines; it ends here, with its status, unless it is 0. */
    String framed(String command) {
        return say(BEGIN) + "; { " + command + "; } || exit $?; " + say(END);
    }

    private String say(String word) {
        return "echo \"" + word + "$MUSTER_INSTANCE\" >> " + lines;
    }

    /** Does something for the first so many process starts of a job, then no more. */
    String unlessBefore(String job, int times, String action) {
        Path file = directory.resolve(job);
        return "echo >> %s; test $(wc -l < %s) -gt %d || %s".formatted(file, file, times, action);
    }

    /**
     * What is in it.
     *
     * @param twice process starts that began more than once
     * @param ended by job and attempt, the indexes whose command came to its end
     */
    record Content(long begun, List<String> twice, Map<String, Map<Integer, Set<Integer>>> ended) {

        /** Whether the commands of all instances came to their end, in one attempt. */
        boolean whole(String job, int instances) {
            return ended.getOrDefault(job, Map.of()).values().stream()
                    .anyMatch(indexes -> indexes.size() == instances);
        }

        boolean any(String job) {
            return ended.containsKey(job);
        }
    }

    Content read() {
        Set<String> begun = new HashSet<>();
        List<String> twice = new ArrayList<>();
        Map<String, Map<Integer, Set<Integer>>> ended = new HashMap<>();
        try (Stream<String> all = Files.lines(lines, StandardCharsets.UTF_8)) {
            all.forEach(line -> {
                if (line.startsWith(BEGIN) && !begun.add(line)) {
                    twice.add(line.substring(BEGIN.length()));
                } else if (line.startsWith(END)) {
                    String[] mark = line.substring(END.length()).split("\\.", -1);
                    ended.computeIfAbsent(mark[0], _ -> new HashMap<>())
                            .computeIfAbsent(Integer.valueOf(mark[1]), _ -> new TreeSet<>())
                            .add(Integer.valueOf(mark[2]));
                }
            });
        } catch (IOException e) {
            throw new BenchFailed("the ledger cannot be read: " + e.getMessage(), e);
        }
        return new Content(begun.size(), twice, ended);
    }

    Path directory() {
        return directory;
    }

    /** Deletes it. */
    @Override
    public void close() {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path each : files.toList()) {
                Files.delete(each);
            }
            Files.delete(directory);
        } catch (IOException e) {
            Progress.say("the ledger stays: " + e.getMessage());
        }
    }
}
