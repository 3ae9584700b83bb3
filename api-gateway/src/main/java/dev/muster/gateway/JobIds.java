package dev.muster.gateway;

import dev.muster.domain.JobId;

import java.security.SecureRandom;
import java.time.Clock;

/**
 * Makes ids of version 7 (RFC 9562): milliseconds, then a counter, then randomness. Ids of one
 * maker rise strictly, so that jobs listed by id are listed by age. Not thread-safe.
 */
final class JobIds {

    private static final int COUNTER_BITS = 12;
    private static final long COUNTER_MASK = (1L << COUNTER_BITS) - 1;
    private static final long VARIANT = 1L << 63;
    private static final long RANDOM_MASK = (1L << 62) - 1;

    private final Clock clock;
    private final SecureRandom random = new SecureRandom();

    /** Milliseconds and counter of the last id, in one number. */
    private long last;

    JobIds(Clock clock) {
        this.clock = clock;
    }

    JobId next() {
        long now = clock.millis() << COUNTER_BITS;
        // a clock that stands or goes back, or a full counter, borrows from the next millisecond
        last = now > last ? now : last + 1;
        long millis = last >>> COUNTER_BITS;
        long hi = (millis << 16) | (7L << COUNTER_BITS) | (last & COUNTER_MASK);
        return new JobId(hi, VARIANT | (random.nextLong() & RANDOM_MASK));
    }
}
