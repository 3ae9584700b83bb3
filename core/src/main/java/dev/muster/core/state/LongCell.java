package dev.muster.core.state;

/** A single number. */
public final class LongCell implements UndoLog.Target {

    private final UndoLog undo;
    private long value;

    LongCell(UndoLog undo) {
        this.undo = undo;
    }

    public long get() {
        return value;
    }

    public int asInt() {
        return Math.toIntExact(value);
    }

    void set(long next) {
        if (undo.active()) {
            undo.record(this, 0, value);
        }
        value = next;
    }

    void add(long amount) {
        set(value + amount);
    }

    @Override
    public void undo(int index, long old) {
        value = old;
    }
}
