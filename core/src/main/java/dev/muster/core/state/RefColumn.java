package dev.muster.core.state;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/** One immutable object per slot, null where none was written. */
public final class RefColumn<T> implements UndoLog.Target {

    private final UndoLog undo;
    private @Nullable Object[] values = new Object[16];

    RefColumn(UndoLog undo) {
        this.undo = undo;
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
        return slot < values.length ? (T) values[slot] : null;
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

    @Override
    public void undo(int index, long old) {
        values[index] = undo.popRef();
    }
}
