package dev.muster.core.state;

/** Slots by a key of two longs. */
final class PairIndex extends OpenTable {

    private final LongColumn first;
    private final LongColumn second;

    PairIndex(UndoLog undo) {
        super(undo);
        this.first = new LongColumn(undo);
        this.second = new LongColumn(undo);
    }

    @Override
    void reserve(int entries) {
        super.reserve(entries);
        first.reserve(entries);
        second.reserve(entries);
    }

    long first(int slot) {
        return first.get(slot);
    }

    long second(int slot) {
        return second.get(slot);
    }

    int find(long a, long b) {
        int position = start(mix(a, b));
        int slot = at(position);
        while (slot >= 0 && (first.get(slot) != a || second.get(slot) != b)) {
            position = next(position);
            slot = at(position);
        }
        return slot;
    }

    void put(int slot, long a, long b) {
        first.set(slot, a);
        second.set(slot, b);
        insert(slot);
    }

    /** Enters many slots in a row; not to be taken back. */
    void load(int slot, long[] a, long[] b, int at, int count) {
        first.load(slot, a, at, count);
        second.load(slot, b, at, count);
        for (int i = 0; i < count; i++) {
            insert(slot + i);
        }
    }

    @Override
    long hash(int slot) {
        return mix(first.get(slot), second.get(slot));
    }
}
