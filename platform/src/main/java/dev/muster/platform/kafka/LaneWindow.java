package dev.muster.platform.kafka;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * The unacknowledged entries that a lane holds: a run of n without gaps, bounded. Not thread-safe.
 */
final class LaneWindow {

    private final int maxEntries;
    private final long maxBytes;
    private final Map<Long, LaneEntry> held = new HashMap<>();
    private long bytes;

    /** n before the first that is held or will be. */
    private long before;

    LaneWindow(int maxEntries, long maxBytes, long before) {
        this.maxEntries = maxEntries;
        this.maxBytes = maxBytes;
        this.before = before;
    }

    /** Whether the entry joined; it must follow the last one and there must be room. */
    boolean offer(LaneEntry entry) {
        if (entry.n() != last() + 1 || full()) {
            return false;
        }
        held.put(entry.n(), entry);
        bytes += entry.data().length;
        return true;
    }

    /** Puts another entry at the place of a held one. */
    void replace(LaneEntry entry) {
        LaneEntry old = held.replace(entry.n(), entry);
        if (old != null) {
            bytes += entry.data().length - old.data().length;
        }
    }

    /** Lets go of everything up to n. */
    void dropTo(long n) {
        for (long each = before + 1; each <= Math.min(n, last()); each++) {
            LaneEntry gone = held.remove(each);
            if (gone != null) {
                bytes -= gone.data().length;
                before = each;
            }
        }
        if (held.isEmpty()) {
            before = Math.max(before, n);
        }
    }

    @Nullable LaneEntry get(long n) {
        return held.get(n);
    }

    boolean full() {
        return held.size() >= maxEntries || bytes >= maxBytes;
    }

    int room() {
        return full() ? 0 : maxEntries - held.size();
    }

    int size() {
        return held.size();
    }

    /** n of the last held entry; without any, the n before the next. */
    long last() {
        return before + held.size();
    }
}
