package dev.muster.domain;

import java.util.UUID;

/**
 * Identity of a job: 128 bits, shown as a UUID. The gateway makes time-ordered ones (version 7), so
 * that rows of one time lie together.
 */
public record JobId(long hi, long lo) implements Comparable<JobId> {

    /**
     * @throws IllegalArgumentException if {@code text} is not a UUID in its canonical form of 36
     *     characters
     */
    public static JobId parse(String text) {
        if (text.length() != 36) {
            throw new IllegalArgumentException("a job id has 36 characters, not " + text.length());
        }
        return of(UUID.fromString(text));
    }

    public static JobId of(UUID uuid) {
        return new JobId(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }

    public UUID uuid() {
        return new UUID(hi, lo);
    }

    @Override
    public int compareTo(JobId other) {
        int high = Long.compareUnsigned(hi, other.hi);
        return high != 0 ? high : Long.compareUnsigned(lo, other.lo);
    }

    @Override
    public String toString() {
        return uuid().toString();
    }
}
