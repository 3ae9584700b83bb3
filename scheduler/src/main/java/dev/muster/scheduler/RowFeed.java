package dev.muster.scheduler;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Committed rows in order of seq for one reader behind the journal. Rows come from the decision
 * loop's memory while the reader keeps up; what did not fit, and all that another leader wrote, is
 * read from the journal. So it is bounded, and the reader never misses a row.
 */
final class RowFeed {

    /** Reads committed rows after a seq, oldest first; empty at the end. */
    @FunctionalInterface
    interface Reader {
        Queue<CommittedRow> after(long seq) throws InterruptedException;
    }

    private final Reader reader;
    private final long maxBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<CommittedRow> memory = new ArrayDeque<>();
    private long memoryBytes;
    private long committedSeq;
    private boolean woken;

    /** Of the reader's thread alone. */
    private Queue<CommittedRow> page = new ArrayDeque<>();

    private long seq;

    /** The journal had rows when it was asked last: it may have more. */
    private boolean behind;

    /**
     * @param seq after which the reader wants the rows
     */
    RowFeed(Reader reader, long maxBytes, long seq) {
        this.reader = reader;
        this.maxBytes = maxBytes;
        this.seq = seq;
    }

    /** A row that the decision loop has committed. Never blocks on the reader. */
    void offer(CommittedRow row) {
        lock.lock();
        try {
            committedSeq = Math.max(committedSeq, row.lastSeq());
            long bytes = row.bytes();
            if (memory.isEmpty() || memoryBytes + bytes <= maxBytes) {
                memory.add(row);
                memoryBytes += bytes;
            }
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Makes the reader, if it waits, return and look around. */
    void wake() {
        lock.lock();
        try {
            woken = true;
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the decision loop commits a row, somebody wakes the reader, or the time is over.
     *
     * @param before done first; what follows from it is not missed
     */
    void await(Runnable before, long millis) throws InterruptedException {
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        lock.lock();
        try {
            long committedBefore = committedSeq;
            woken = false;
            before.run();
            while (committedSeq == committedBefore && !woken && nanos > 0) {
                nanos = arrived.awaitNanos(nanos);
            }
            woken = false;
        } finally {
            lock.unlock();
        }
    }

    /** Starts anew after another seq. */
    void seek(long newSeq) {
        seq = newSeq;
        page = new ArrayDeque<>();
    }

    /** Seq of the last row that the reader took. */
    long seq() {
        return seq;
    }

    /**
     * The next row; the first one after {@link #seek} may begin before what was asked for.
     *
     * @param waitMillis how long to wait for one in memory before the journal itself is asked
     * @return null if there is none now
     */
    @Nullable CommittedRow next(long waitMillis) throws InterruptedException {
        CommittedRow row = page.poll();
        if (row == null) {
            row = fromMemory(behind ? 0 : waitMillis);
        }
        if (row == null) {
            page = reader.after(seq);
            row = page.poll();
            behind = row != null;
        }
        if (row != null) {
            if (row.firstSeq() > seq + 1) {
                throw new IllegalStateException(
                        "after seq " + seq + " the journal goes on with " + row.firstSeq());
            }
            seq = row.lastSeq();
        }
        return row;
    }

    private @Nullable CommittedRow fromMemory(long waitMillis) throws InterruptedException {
        long nanos = TimeUnit.MILLISECONDS.toNanos(waitMillis);
        lock.lock();
        try {
            while (true) {
                dropPassed();
                CommittedRow first = memory.peek();
                if (first != null && first.firstSeq() <= seq + 1) {
                    memoryBytes -= first.bytes();
                    return memory.poll();
                }
                if (first != null || committedSeq > seq || nanos <= 0 || woken) {
                    woken = false;
                    return null;
                }
                nanos = arrived.awaitNanos(nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private void dropPassed() {
        CommittedRow first = memory.peek();
        while (first != null && first.lastSeq() <= seq) {
            memoryBytes -= first.bytes();
            memory.poll();
            first = memory.peek();
        }
    }
}
