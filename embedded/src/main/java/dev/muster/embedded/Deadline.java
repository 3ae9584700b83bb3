package dev.muster.embedded;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A bound on waiting for another process. */
record Deadline(long nanoTime) {
    static Deadline in(Duration limit) {
        return new Deadline(System.nanoTime() + limit.toNanos());
    }

    boolean hasPassed() {
        return System.nanoTime() - nanoTime >= 0;
    }

    void pause(Duration poll) {
        if (Thread.currentThread().isInterrupted()) {
            throw new EmbeddedServerException("Waiting for an embedded server was interrupted.");
        }
        LockSupport.parkNanos(poll.toNanos());
    }
}
