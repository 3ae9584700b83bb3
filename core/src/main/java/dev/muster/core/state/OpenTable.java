package dev.muster.core.state;

/** Open addressing over slots whose keys the subclass keeps: linear probing, no tombstones. */
abstract class OpenTable implements UndoLog.Target {

    private static final int TABLE_ITSELF = -1;

    private final UndoLog undo;
    private final LongCell size;

    /** slot + 1, 0 where empty; its length is a power of two, at most half of it is taken. */
    private int[] table = new int[16];

    OpenTable(UndoLog undo) {
        this.undo = undo;
        this.size = new LongCell(undo);
    }

    abstract long hash(int slot);

    static long mix(long a, long b) {
        long h = a * 0x9E3779B97F4A7C15L + b;
        h = (h ^ (h >>> 32)) * 0xD6E8FEB86659FD93L;
        h = (h ^ (h >>> 29)) * 0xD6E8FEB86659FD93L;
        return h ^ (h >>> 32);
    }

    final int size() {
        return size.asInt();
    }

    final int start(long hash) {
        return (int) hash & (table.length - 1);
    }

    /** The slot there, −1 where the probe ends. */
    final int at(int position) {
        return table[position] - 1;
    }

    final int next(int position) {
        return (position + 1) & (table.length - 1);
    }

    /** Makes room for this many entries. */
    void reserve(int entries) {
        if (size() == 0 && entries * 2L > table.length && entries < 1 << 28) {
            table = new int[Integer.highestOneBit(entries * 2 - 1) << 1];
        }
    }

    final void insert(int slot) {
        if ((size() + 1) * 2 > table.length) {
            grow();
        }
        size.add(1);
        write(emptyFrom(start(hash(slot))), slot + 1);
    }

    private int emptyFrom(int position) {
        int p = position;
        while (table[p] != 0) {
            p = next(p);
        }
        return p;
    }

    final void remove(int slot) {
        int hole = start(hash(slot));
        while (at(hole) != slot) {
            hole = next(hole);
        }
        size.add(-1);
        write(hole, 0);
        for (int p = next(hole); table[p] != 0; p = next(p)) {
            int home = start(hash(at(p)));
            // an entry moves back into the hole unless its home lies after the hole
            if (((p - home) & (table.length - 1)) >= ((p - hole) & (table.length - 1))) {
                write(hole, table[p]);
                write(p, 0);
                hole = p;
            }
        }
    }

    private void write(int position, int value) {
        if (undo.active()) {
            undo.record(this, position, table[position]);
        }
        table[position] = value;
    }

    private void grow() {
        int[] old = table;
        if (undo.active()) {
            undo.recordRef(this, TABLE_ITSELF, 0, old);
        }
        table = new int[old.length * 2];
        for (int entry : old) {
            if (entry != 0) {
                table[emptyFrom(start(hash(entry - 1)))] = entry;
            }
        }
    }

    @Override
    public void undo(int index, long old) {
        if (index == TABLE_ITSELF) {
            table = (int[]) java.util.Objects.requireNonNull(undo.popRef());
        } else {
            table[index] = (int) old;
        }
    }
}
