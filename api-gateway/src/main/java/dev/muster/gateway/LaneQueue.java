package dev.muster.gateway;

import dev.muster.platform.config.Settings;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/** What waits for a lane, bounded, and how it is cut into batches. Not thread-safe. */
final class LaneQueue {

    private final int maxRows;
    private final int maxBytes;
    private final int maxEntries;
    private final Deque<LaneItem> items = new ArrayDeque<>();

    /** How many of the next batches hold one item each: one of them was refused among others. */
    private int singles;

    LaneQueue(Settings settings) {
        this.maxRows = settings.get(GatewaySettings.BATCH_ROWS);
        this.maxBytes = settings.get(GatewaySettings.BATCH_BYTES);
        this.maxEntries = settings.get(GatewaySettings.QUEUE_ENTRIES);
    }

    boolean full() {
        return items.size() >= maxEntries;
    }

    boolean isEmpty() {
        return items.isEmpty();
    }

    int size() {
        return items.size();
    }

    void add(LaneItem item) {
        items.add(item);
    }

    /** Back to the front, in the order in which they were taken. */
    void giveBack(List<LaneItem> batch) {
        for (LaneItem item : batch.reversed()) {
            items.addFirst(item);
        }
    }

    /** The next of them are written one by one, so that the one that is refused fails alone. */
    void singly(int count) {
        singles = count;
    }

    /**
     * Items of one kind, so that one statement takes them; those that were answered are left out.
     */
    List<LaneItem> nextBatch() {
        List<LaneItem> batch = new ArrayList<>();
        int rows = singles > 0 ? 1 : maxRows;
        long bytes = 0;
        while (batch.size() < rows && bytes < maxBytes) {
            LaneItem item = items.peek();
            if (item == null
                    || (!batch.isEmpty() && item.getClass() != batch.getFirst().getClass())) {
                break;
            }
            items.remove();
            if (!item.promise().future().isComplete()) {
                batch.add(item);
                bytes += item.bytes();
            }
        }
        singles = Math.max(0, singles - 1);
        return batch;
    }

    /** Takes out those whose time is over. */
    List<LaneItem> expired(long nowNanos) {
        List<LaneItem> late = new ArrayList<>();
        Iterator<LaneItem> each = items.iterator();
        while (each.hasNext()) {
            LaneItem item = each.next();
            if (nowNanos - item.deadlineNanos() > 0) {
                each.remove();
                late.add(item);
            }
        }
        return late;
    }

    List<LaneItem> takeAll() {
        List<LaneItem> all = new ArrayList<>(items);
        items.clear();
        return all;
    }
}
