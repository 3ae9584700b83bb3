package dev.muster.core.state;

import java.util.Arrays;

/** One int per slot; slots never written hold the fill value. */
public final class IntColumn implements UndoLog.Target {

    private final UndoLog undo;
    private final int fill;
    private int[] values;

    IntColumn(UndoLog undo, int fill) {
        this.undo = undo;
        this.fill = fill;
        this.values = new int[16];
        Arrays.fill(values, fill);
    }

    public int get(int slot) {
        return slot < values.length ? values[slot] : fill;
    }

    /** Makes room for slots below this. */
    void reserve(int slots) {
        if (slots > values.length) {
            resize(slots);
        }
    }

    void set(int slot, int value) {
        if (slot >= values.length) {
            grow(slot);
        }
        if (undo.active()) {
            undo.record(this, slot, values[slot]);
        }
        values[slot] = value;
    }

    /** Copies values in; not to be taken back. */
    void load(int slot, int[] from, int at, int count) {
        undo.requireIdle();
        reserve(slot + count);
        System.arraycopy(from, at, values, slot, count);
    }

    /** Writes the same value many times; not to be taken back. */
    void load(int slot, int value, int count) {
        undo.requireIdle();
        reserve(slot + count);
        Arrays.fill(values, slot, slot + count, value);
    }

    void add(int slot, int amount) {
        set(slot, get(slot) + amount);
    }

    private void grow(int slot) {
        resize(Math.max(slot + 1, values.length + (values.length >> 1)));
    }

    private void resize(int size) {
        int old = values.length;
        values = Arrays.copyOf(values, size);
        if (fill != 0) {
            Arrays.fill(values, old, values.length, fill);
        }
    }

    @Override
    public void undo(int index, long old) {
        values[index] = (int) old;
    }
}
