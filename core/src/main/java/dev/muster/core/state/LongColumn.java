package dev.muster.core.state;

import java.util.Arrays;

/** One long per slot; slots never written hold 0. */
public final class LongColumn implements UndoLog.Target {

    private final UndoLog undo;
    private long[] values = new long[16];

    LongColumn(UndoLog undo) {
        this.undo = undo;
    }

    public long get(int slot) {
        return slot < values.length ? values[slot] : 0;
    }

    /** Makes room for slots below this. */
    void reserve(int slots) {
        if (slots > values.length) {
            values = Arrays.copyOf(values, slots);
        }
    }

    void set(int slot, long value) {
        if (slot >= values.length) {
            values =
                    Arrays.copyOf(values, Math.max(slot + 1, values.length + (values.length >> 1)));
        }
        if (undo.active()) {
            undo.record(this, slot, values[slot]);
        }
        values[slot] = value;
    }

    /** Copies values in; not to be taken back. */
    void load(int slot, long[] from, int at, int count) {
        undo.requireIdle();
        reserve(slot + count);
        System.arraycopy(from, at, values, slot, count);
    }

    void add(int slot, long amount) {
        set(slot, get(slot) + amount);
    }

    @Override
    public void undo(int index, long old) {
        values[index] = old;
    }
}
