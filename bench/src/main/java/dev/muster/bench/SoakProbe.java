package dev.muster.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Looks at a Muster from outside: its process, its database, its files. */
final class SoakProbe {

    private static final double MEBIBYTE = 1 << 20;

    /**
     * Tables that keep something of every job, by what they are counted as; partitions included.
     */
    private static final String SIZES =
            """
            SELECT CASE
                WHEN n.nspname = 'scheduler' AND c.relname LIKE 'journal%' THEN 'JOURNAL'
                WHEN n.nspname = 'gateway'
                    AND c.relname IN ('job_spec', 'job_view_archive', 'idempotency') THEN 'KEPT'
                ELSE 'TABLES' END AS measure,
                sum(pg_total_relation_size(c.oid)) AS bytes
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r'
                AND n.nspname IN
                    ('platform', 'gateway', 'scheduler', 'executor', 'monitor', 'notifier')
            GROUP BY 1\
            """;

    private final MusterUnderTest muster;

    SoakProbe(MusterUnderTest muster) {
        this.muster = muster;
    }

    Map<SoakMeasure, Double> look() {
        Map<SoakMeasure, Double> seen = new EnumMap<>(SoakMeasure.class);
        seen.put(SoakMeasure.FILES, (double) entries("fd"));
        seen.put(SoakMeasure.THREADS, (double) entries("task"));
        seen.put(SoakMeasure.HEAP, liveBytes() / MEBIBYTE);
        seen.put(SoakMeasure.RESIDENT, residentKibibytes() / 1024);
        seen.put(SoakMeasure.LIVE_ROWS, (double) number("gateway.job_view_live"));
        seen.put(SoakMeasure.JOURNAL_ROWS, (double) number("scheduler.journal"));
        sizes().forEach((measure, bytes) ->
                seen.put(measure, measure.grows() ? bytes : bytes / MEBIBYTE));
        Path directory = muster.directory();
        seen.put(SoakMeasure.KAFKA, diskBytes(directory.resolve("kafka")));
        seen.put(SoakMeasure.DISK, diskBytes(directory));
        return seen;
    }

    private long entries(String what) {
        try (Stream<Path> all = Files.list(proc().resolve(what))) {
            return all.count();
        } catch (IOException e) {
            throw new BenchFailed("/proc cannot be read: " + e.getMessage(), e);
        }
    }

    private Path proc() {
        return Path.of("/proc", Long.toString(muster.pid()));
    }

    private double residentKibibytes() {
        try (Stream<String> lines = Files.lines(proc().resolve("status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")))
                    .sum();
        } catch (IOException e) {
            throw new BenchFailed("/proc cannot be read: " + e.getMessage(), e);
        }
    }

    /** The histogram is taken after a full collection; its last line adds it up. */
    private double liveBytes() {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        List<String> lines =
                output(jcmd, Long.toString(muster.pid()), "GC.class_histogram")
                        .lines()
                        .filter(line -> line.startsWith("Total"))
                        .toList();
        if (lines.isEmpty()) {
            throw new BenchFailed("jcmd tells nothing of the heap");
        }
        String[] words = lines.getLast().strip().split("\\s+", -1);
        return Double.parseDouble(words[words.length - 1]);
    }

    private long number(String table) {
        return muster.database().number("SELECT count(*) FROM " + table);
    }

    private Map<SoakMeasure, Double> sizes() {
        return muster.database()
                .ask(statement -> {
                    Map<SoakMeasure, Double> sizes = new EnumMap<>(SoakMeasure.class);
                    try (ResultSet rows = statement.executeQuery(SIZES)) {
                        while (rows.next()) {
                            sizes.put(
                                    SoakMeasure.valueOf(rows.getString("measure")),
                                    rows.getDouble("bytes"));
                        }
                    }
                    return sizes;
                });
    }

    /** What files take, not how long they say that they are: Kafka makes its indexes beforehand. */
    private static double diskBytes(Path directory) {
        String words = output("du", "-sk", "--exclude=pg_wal", directory.toString());
        return 1024 * Double.parseDouble(words.substring(0, words.indexOf('\t')));
    }

    /** Of standard output; files may vanish while du counts them, which it says on the other. */
    private static String output(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            try (var out = process.getInputStream()) {
                return new String(out.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            throw new BenchFailed(command[0] + " cannot be run: " + e.getMessage(), e);
        }
    }
}
