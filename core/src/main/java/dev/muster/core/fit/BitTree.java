package dev.muster.core.fit;

/** A set of small ints; a bit of each level says whether a word of the one below holds any. */
final class BitTree {

    private static final int BITS = 6;

    private final long[][] levels;

    BitTree(int capacity) {
        int depth = 1;
        for (int words = words(capacity); words > 1; words = words(words)) {
            depth++;
        }
        this.levels = new long[depth][];
        int size = capacity;
        for (int level = 0; level < depth; level++) {
            size = words(size);
            levels[level] = new long[size];
        }
    }

    private static int words(int bits) {
        return Math.max(1, (bits + 63) >>> BITS);
    }

    void add(int element) {
        int at = element;
        for (long[] level : levels) {
            long before = level[at >>> BITS];
            level[at >>> BITS] = before | (1L << at);
            if (before != 0) {
                return;
            }
            at >>>= BITS;
        }
    }

    void remove(int element) {
        int at = element;
        for (long[] level : levels) {
            level[at >>> BITS] &= ~(1L << at);
            if (level[at >>> BITS] != 0) {
                return;
            }
            at >>>= BITS;
        }
    }

    boolean isEmpty() {
        return levels[levels.length - 1][0] == 0;
    }

    /** The least element from {@code from} on, −1 if there is none. */
    int next(int from) {
        int at = from;
        for (int level = 0; level < levels.length; level++) {
            int word = at >>> BITS;
            if (word >= levels[level].length) {
                return -1;
            }
            long rest = levels[level][word] & (-1L << at);
            if (rest != 0) {
                return descend(level, (word << BITS) | Long.numberOfTrailingZeros(rest));
            }
            at = word + 1;
        }
        return -1;
    }

    private int descend(int from, int element) {
        int at = element;
        for (int level = from - 1; level >= 0; level--) {
            at = (at << BITS) | Long.numberOfTrailingZeros(levels[level][at]);
        }
        return at;
    }
}
