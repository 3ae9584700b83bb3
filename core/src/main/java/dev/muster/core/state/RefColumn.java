package dev.muster.core.state;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;

/** One immutable object per slot; slots never written hold the fill value, if there is one. */
public final class RefColumn<T> implements UndoLog.Target {

    private final UndoLog undo;
    private final @Nullable T fill;
    private @Nullable Object[] values = new Object[16];

    RefColumn(UndoLog undo) {
        this(undo, null);
    }

    RefColumn(UndoLog undo, @Nullable T fill) {
        this.undo = undo;
        this.fill = fill;
    }

    /**
     * @throws NullPointerException if the slot holds nothing: a fault of ours
     */
    public T get(int slot) {
        T value = find(slot);
        if (value == null) {
            throw new NullPointerException("slot " + slot + " holds nothing");
        }
        return value;
    }

    @SuppressWarnings("unchecked")
    public @Nullable T find(int slot) {
        Object value = slot < values.length ? values[slot] : null;
        return value == null ? fill : (T) value;
    }

    /** Makes room for slots below this. */
    void reserve(int slots) {
        if (slots > values.length) {
            values = Arrays.copyOf(values, slots);
        }
    }

    void set(int slot, @Nullable T value) {
        if (slot >= values.length) {
            values =
                    Arrays.copyOf(values, Math.max(slot + 1, values.length + (values.length >> 1)));
        }
        if (undo.active()) {
            undo.recordRef(this, slot, 0, values[slot]);
        }
        values[slot] = value;
    }

    /** Copies values in by their numbers in a table; not to be taken back. */
    void load(int slot, List<? extends T> table, int[] numbers, int at, int count) {
        undo.requireIdle();
        reserve(slot + count);
        for (int i = 0; i < count; i++) {
            values[slot + i] = table.get(numbers[at + i]);
        }
    }

    @Override
    public void undo(int index, long old) {
        values[index] = undo.popRef();
    }
}
