package dev.muster.core.state;

/** A set of slots with add, remove and contains in O(1). Its order depends on history. */
public final class IntBag {

    private final IntColumn items;
    private final IntColumn positions;
    private final LongCell size;

    IntBag(UndoLog undo) {
        this.items = new IntColumn(undo, 0);
        this.positions = new IntColumn(undo, 0);
        this.size = new LongCell(undo);
    }

    public int size() {
        return (int) size.get();
    }

    public int at(int position) {
        return items.get(position);
    }

    public boolean contains(int slot) {
        return positions.get(slot) != 0;
    }

    void add(int slot) {
        if (contains(slot)) {
            return;
        }
        int end = size();
        items.set(end, slot);
        positions.set(slot, end + 1);
        size.set(end + 1L);
    }

    void remove(int slot) {
        int position = positions.get(slot);
        if (position == 0) {
            return;
        }
        int end = size() - 1;
        int last = items.get(end);
        items.set(position - 1, last);
        positions.set(last, position);
        positions.set(slot, 0);
        size.set(end);
    }

    void clear() {
        for (int i = size() - 1; i >= 0; i--) {
            positions.set(items.get(i), 0);
        }
        size.set(0);
    }
}
