package dev.muster.bench;

import dev.muster.bench.Flatness.Tolerance;

import java.util.Locale;

/**
 * What is looked at while Muster runs. Some is to stay on its level; the rest grows with each job,
 * since it is kept, and is to grow no faster as time goes by.
 */
enum SoakMeasure {
    /** Open files of the process. */
    FILES(false, 24, 0.1),
    /** Its threads. */
    THREADS(false, 12, 0.1),
    /** Live objects of its heap after a full collection, MiB. */
    HEAP(false, 24, 0.25),
    /** Memory that the process has of the machine, MiB: what no heap shows. */
    RESIDENT(false, 128, 0.15),
    /** Jobs that have not ended, and ended ones that are not archived yet. */
    LIVE_ROWS(false, 1_000, 0.3),
    /**
     * Tables and indexes in which only what lives has rows, MiB; vacuum makes tens of them free.
     */
    TABLES(false, 64, 0.3),
    /** Rows of the journal: the fewer, the more jobs share one, which depends on the machine. */
    JOURNAL_ROWS(true, 1, 0.3),
    /** The journal with its indexes, bytes. */
    JOURNAL(true, 400, 0.3),
    /** Specifications, archived views and idempotency keys with their indexes, bytes. */
    KEPT(true, 400, 0.3),
    /** Segments of all topics, bytes. */
    KAFKA(true, 400, 0.3),
    /** The data directory but for PostgreSQL's write-ahead log, which is used again, bytes. */
    DISK(true, 1_000, 0.3);

    private final boolean grows;
    private final double absolute;
    private final double relative;

    /** What may change without being a leak, as {@link Tolerance} has it. */
    SoakMeasure(boolean grows, double absolute, double relative) {
        this.grows = grows;
        this.absolute = absolute;
        this.relative = relative;
    }

    /** Whether its figure is per job. */
    boolean grows() {
        return grows;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * @param jobs so far, at each sample
     */
    Flatness judge(double[] samples, double[] jobs) {
        Tolerance tolerance = new Tolerance(absolute, relative);
        return grows
                ? Flatness.ofGrowth(samples, jobs, tolerance)
                : Flatness.ofLevel(samples, tolerance);
    }
}
