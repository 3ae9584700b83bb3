package dev.muster.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Processor time of processes with those of their children that they saw end. */
final class CpuTime {

    /** USER_HZ, the same on every Linux that a JDK runs on. */
    private static final int MILLIS_PER_TICK = 10;

    private static final int PARENT = 1;
    private static final List<Integer> TICKS = List.of(11, 12, 13, 14);

    private CpuTime() {}

    /** Of these processes and of their children that live. */
    static long millis(long... pids) {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                            .filter(each -> each.getFileName().toString().matches("[0-9]+"))
                            .mapToLong(each -> ticks(each, pids))
                            .sum()
                    * MILLIS_PER_TICK;
        } catch (IOException e) {
            throw new BenchFailed("/proc cannot be read: " + e.getMessage(), e);
        }
    }

    private static long ticks(Path process, long... pids) {
        try {
            String stat = Files.readString(process.resolve("stat"));
            // fields are counted from the end of the name, which may hold anything
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            long own = Long.parseLong(process.getFileName().toString());
            for (long pid : pids) {
                if (own == pid || Long.parseLong(fields[PARENT]) == pid) {
                    return TICKS.stream().mapToLong(n -> Long.parseLong(fields[n])).sum();
                }
            }
            return 0;
        } catch (IOException e) {
            return 0; // it ended meanwhile
        }
    }
}
