package dev.muster.core.state;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * Old values of everything that was written since the first mark alive, so that a batch or a plan
 * can be taken back. Costs nothing while no mark is alive. The bound is the caller's: what it does
 * between a mark and its end.
 */
public final class UndoLog {

    /** What can be written back. */
    interface Target {
        void undo(int index, long old);
    }

    private Target[] targets = new Target[256];
    private int[] indexes = new int[256];
    private long[] olds = new long[256];
    private int size;

    private @Nullable Object[] refs = new Object[64];
    private int refSize;

    private int[] marks = new int[4];
    private int depth;

    public int mark() {
        if (depth == marks.length) {
            marks = Arrays.copyOf(marks, depth * 2);
        }
        marks[depth++] = size;
        return depth;
    }

    public void rollback(int mark) {
        requireLatest(mark);
        int start = marks[depth - 1];
        while (size > start) {
            size--;
            targets[size].undo(indexes[size], olds[size]);
        }
        end();
    }

    public void forget(int mark) {
        requireLatest(mark);
        end();
    }

    private void requireLatest(int mark) {
        if (mark != depth || mark < 1) {
            throw new IllegalArgumentException(
                    "mark " + mark + " is not the latest one alive, which is " + depth);
        }
    }

    private void end() {
        depth--;
        if (depth == 0) {
            size = 0;
            Arrays.fill(refs, 0, refSize, null);
            refSize = 0;
        }
    }

    boolean active() {
        return depth > 0;
    }

    /** For what cannot be taken back. */
    void requireIdle() {
        if (active()) {
            throw new IllegalStateException("a mark is alive");
        }
    }

    /** Notes an old value; to be called while active only. */
    void record(Target target, int index, long old) {
        if (size == targets.length) {
            targets = Arrays.copyOf(targets, size * 2);
            indexes = Arrays.copyOf(indexes, size * 2);
            olds = Arrays.copyOf(olds, size * 2);
        }
        targets[size] = target;
        indexes[size] = index;
        olds[size] = old;
        size++;
    }

    /** Notes an object that the target takes back by {@link #popRef} when it is undone. */
    void recordRef(Target target, int index, long old, @Nullable Object ref) {
        if (refSize == refs.length) {
            refs = Arrays.copyOf(refs, refSize * 2);
        }
        refs[refSize++] = ref;
        record(target, index, old);
    }

    @Nullable Object popRef() {
        refSize--;
        Object ref = refs[refSize];
        refs[refSize] = null;
        return ref;
    }
}
