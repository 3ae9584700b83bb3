package dev.muster.core.state;

import dev.muster.domain.JobSnapshot.InstanceSnapshot;

/** The counters of one instance in a long. */
public final class InstanceWord {

    /** Counters of incarnations and process starts end here. */
    public static final int MAX_COUNT = 0xFFFF;

    private static final int STARTED_SHIFT = 16;
    private static final int EXIT_SHIFT = 32;
    private static final long PREPARED = 1L << 48;
    private static final long GONE = 1L << 49;
    private static final long EVIDENCE = 1L << 50;
    private static final long EXIT = 0xFFFFL << EXIT_SHIFT;

    /** A new instance: incarnation 1, nothing observed. */
    public static final long FRESH = 1;

    private InstanceWord() {}

    public static int incarnation(long word) {
        return (int) word & MAX_COUNT;
    }

    public static boolean prepared(long word) {
        return (word & PREPARED) != 0;
    }

    /** The latest process start observed, 0 for none. */
    public static int startedProcess(long word) {
        return (int) (word >>> STARTED_SHIFT) & MAX_COUNT;
    }

    /** Exit code of that process start, −1 while it has none. */
    public static int exitCode(long word) {
        return ((int) (word >>> EXIT_SHIFT) & MAX_COUNT) - 1;
    }

    public static boolean gone(long word) {
        return (word & GONE) != 0;
    }

    /** Whether evidence of the latest incident is kept. */
    public static boolean evidence(long word) {
        return (word & EVIDENCE) != 0;
    }

    static long withEvidence(long word, boolean kept) {
        return kept ? word | EVIDENCE : word & ~EVIDENCE;
    }

    /** A new container: nothing is observed yet. */
    static long reincarnated(long word, int incarnation) {
        return (word & EVIDENCE) | incarnation;
    }

    static long withPrepared(long word) {
        return word | PREPARED;
    }

    static long withStarted(long word, int processStart) {
        long cleared = word & ~((long) MAX_COUNT << STARTED_SHIFT) & ~EXIT;
        return cleared | ((long) processStart << STARTED_SHIFT);
    }

    static long withExit(long word, int exitCode) {
        return (word & ~EXIT) | ((exitCode + 1L) << EXIT_SHIFT);
    }

    static long withGone(long word) {
        return word | GONE;
    }

    static InstanceSnapshot snapshot(long word) {
        return new InstanceSnapshot(
                incarnation(word),
                prepared(word),
                startedProcess(word),
                exitCode(word),
                gone(word),
                evidence(word));
    }

    static long of(InstanceSnapshot instance) {
        long word = withStarted(instance.incarnation(), instance.startedProcess());
        word = withExit(word, instance.exitCode());
        word = instance.prepared() ? withPrepared(word) : word;
        word = withEvidence(word, instance.evidence());
        return instance.gone() ? withGone(word) : word;
    }
}
