package dev.muster.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** How many processes and threads the machine has made, less those that it makes anyway. */
final class Forks {

    private static final long IDLE_MILLIS = 3000;
    private static final String PROCESSES = "processes ";

    private final double idlePerSecond;
    private long before;
    private long beforeNanos;

    private Forks(double idlePerSecond) {
        this.idlePerSecond = idlePerSecond;
    }

    /** Looks for a while at what is made while nothing is measured. */
    static Forks idle() {
        long first = count();
        long nanos = System.nanoTime();
        SlurmUnderTest.pause(IDLE_MILLIS);
        double seconds = seconds(nanos);
        return new Forks((count() - first) / seconds);
    }

    void begin() {
        before = count();
        beforeNanos = System.nanoTime();
    }

    /** Made since the beginning. */
    double end() {
        return Math.max(0, count() - before - idlePerSecond * seconds(beforeNanos));
    }

    private static double seconds(long sinceNanos) {
        return (double) (System.nanoTime() - sinceNanos) / TimeUnit.SECONDS.toNanos(1);
    }

    private static long count() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/stat"))) {
                if (line.startsWith(PROCESSES)) {
                    return Long.parseLong(line.substring(PROCESSES.length()).strip());
                }
            }
        } catch (IOException e) {
            throw new BenchFailed("/proc/stat cannot be read: " + e.getMessage(), e);
        }
        throw new BenchFailed("/proc/stat counts no processes");
    }
}
