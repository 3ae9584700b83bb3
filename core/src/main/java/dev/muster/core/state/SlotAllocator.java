package dev.muster.core.state;

/** Hands out dense slots; freed ones are used again, the latest first. */
final class SlotAllocator {

    private final IntColumn free;
    private final LongCell freeCount;
    private final LongCell next;

    SlotAllocator(UndoLog undo) {
        this.free = new IntColumn(undo, 0);
        this.freeCount = new LongCell(undo);
        this.next = new LongCell(undo);
    }

    int take() {
        int count = freeCount.asInt();
        if (count > 0) {
            freeCount.set(count - 1L);
            return free.get(count - 1);
        }
        int slot = next.asInt();
        next.set(slot + 1L);
        return slot;
    }

    /**
     * The first of as many slots in a row; for a table that is being loaded, of which none is free.
     */
    int takeRow(int count) {
        if (freeCount.get() != 0) {
            throw new IllegalStateException("slots are free already");
        }
        int first = next.asInt();
        next.set((long) first + count);
        return first;
    }

    void give(int slot) {
        int count = freeCount.asInt();
        free.set(count, slot);
        freeCount.set(count + 1L);
    }

    /** Slots below this were handed out at some time. */
    int limit() {
        return next.asInt();
    }
}
