package dev.muster.core.state;

import java.util.function.IntToLongFunction;

/** Deadlines of jobs, at most one of each: a heap by (deadline, age). */
public final class Deadlines {

    private final JobTable jobs;
    private final IntColumn heap;
    private final IntColumn positions;
    private final LongColumn deadlines;
    private final LongCell size;

    Deadlines(UndoLog undo, JobTable jobs) {
        this.jobs = jobs;
        this.heap = new IntColumn(undo, 0);
        this.positions = new IntColumn(undo, 0);
        this.deadlines = new LongColumn(undo);
        this.size = new LongCell(undo);
    }

    public int size() {
        return size.asInt();
    }

    /** The job that expires first; to be called unless {@link #size} is 0. */
    public int first() {
        return heap.get(0);
    }

    /** When the first one expires, {@link Long#MAX_VALUE} without one. */
    public long firstMillis() {
        return size() == 0 ? Long.MAX_VALUE : deadlines.get(first());
    }

    /** When the job expires; without meaning for one that has no deadline. */
    long millis(int job) {
        return deadlines.get(job);
    }

    boolean contains(int job) {
        return positions.get(job) != 0;
    }

    /** Starts the clock of a job whose clock does not run. */
    void start(int job, long millis) {
        deadlines.set(job, millis);
        int end = size();
        size.set(end + 1L);
        up(job, end);
    }

    void stop(int job) {
        int position = positions.get(job) - 1;
        if (position < 0) {
            return;
        }
        int end = size() - 1;
        int last = heap.get(end);
        size.set(end);
        positions.set(job, 0);
        if (last != job) {
            up(last, position);
            down(last, positions.get(last) - 1);
        }
    }

    /** Clocks have moved: every deadline is taken anew. */
    void restart(IntToLongFunction expected) {
        for (int i = 0; i < size(); i++) {
            deadlines.set(heap.get(i), expected.applyAsLong(heap.get(i)));
        }
        for (int i = size() / 2 - 1; i >= 0; i--) {
            down(heap.get(i), i);
        }
    }

    private void up(int job, int from) {
        int position = from;
        while (position > 0) {
            int parent = (position - 1) / 2;
            if (!before(job, heap.get(parent))) {
                break;
            }
            put(heap.get(parent), position);
            position = parent;
        }
        put(job, position);
    }

    private void down(int job, int from) {
        int position = from;
        while (2 * position + 1 < size()) {
            int child = 2 * position + 1;
            if (child + 1 < size() && before(heap.get(child + 1), heap.get(child))) {
                child++;
            }
            if (!before(heap.get(child), job)) {
                break;
            }
            put(heap.get(child), position);
            position = child;
        }
        put(job, position);
    }

    private boolean before(int a, int b) {
        long left = deadlines.get(a);
        long right = deadlines.get(b);
        return left != right ? left < right : jobs.submittedSeq.get(a) < jobs.submittedSeq.get(b);
    }

    private void put(int job, int position) {
        heap.set(position, job);
        positions.set(job, position + 1);
    }
}
