package dev.muster.gateway;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * The latest events of a pool: a run of seqs without a gap, bounded by number and bytes. On a gap
 * it begins anew: what is older than the run is in the journal, from which every event came. Not
 * thread-safe.
 */
final class EventRing {

    private final int maxEntries;
    private final long maxBytes;
    private final Map<Long, StreamEvent> bySeq = new HashMap<>();
    private final Deque<Long> order = new ArrayDeque<>();
    private long bytes;
    private long last;

    EventRing(int maxEntries, long maxBytes) {
        this.maxEntries = maxEntries;
        this.maxBytes = maxBytes;
    }

    /** False for a repeat. */
    boolean append(StreamEvent event) {
        if (event.seq() <= last) {
            return false;
        }
        if (event.seq() != last + 1) {
            bySeq.clear();
            order.clear();
            bytes = 0;
        }
        last = event.seq();
        bySeq.put(last, event);
        order.add(last);
        bytes += event.bytes();
        while (order.size() > maxEntries || (bytes > maxBytes && order.size() > 1)) {
            StreamEvent gone = bySeq.remove(order.remove());
            bytes -= gone == null ? 0 : gone.bytes();
        }
        return true;
    }

    @Nullable StreamEvent get(long seq) {
        return bySeq.get(seq);
    }

    /** Seq of the first that is held; one above {@link #last()} when none is. */
    long first() {
        Long first = order.peek();
        return first == null ? last + 1 : first;
    }

    /** Seq of the latest that was ever seen, 0 before the first. */
    long last() {
        return last;
    }
}
