package dev.muster.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Processor time of processes with those of their children that they saw end. */
final class CpuTime {

    /** USER_HZ, the same on every Linux that a JDK runs on. */
    private static final int MILLIS_PER_TICK = 10;

    private static final Pattern COMPILER = Pattern.compile("\\(C[12] Compiler");

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

    /** Of the threads of a JVM that compile. */
    static long compilerMillis(long pid) {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return threads.mapToLong(CpuTime::compilerTicks).sum() * MILLIS_PER_TICK;
        } catch (IOException e) {
            throw new BenchFailed("/proc cannot be read: " + e.getMessage(), e);
        }
    }

    private static long compilerTicks(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            String[] fields = fields(stat);
            return COMPILER.matcher(stat).find()
                    ? TICKS.subList(0, 2).stream().mapToLong(n -> Long.parseLong(fields[n])).sum()
                    : 0;
        } catch (IOException e) {
            return 0; // it ended meanwhile
        }
    }

    /** Counted from the end of the name, which may hold anything. */
    private static String[] fields(String stat) {
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    }

    private static long ticks(Path process, long... pids) {
        try {
            String stat = Files.readString(process.resolve("stat"));
            String[] fields = fields(stat);
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
