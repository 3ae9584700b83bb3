package dev.muster.core.state;

/** Thousandths used of each device of each node, in one flat column. */
final class DeviceTable {

    static final int WHOLE = 1000;

    private final IntColumn offsets;
    private final IntColumn rooms;
    private final IntColumn used;
    private final LongCell end;

    DeviceTable(UndoLog undo) {
        this.offsets = new IntColumn(undo, 0);
        this.rooms = new IntColumn(undo, 0);
        this.used = new IntColumn(undo, 0);
        this.end = new LongCell(undo);
    }

    /** Devices that there is a place for; a node that lost devices keeps their places. */
    int room(int node) {
        return rooms.get(node);
    }

    /** Makes room; a node that gains devices moves to the end (rare, its old place is lost). */
    void reserve(int node, int count) {
        int room = rooms.get(node);
        if (count <= room) {
            return;
        }
        int from = offsets.get(node);
        int to = end.asInt();
        end.set((long) to + count);
        for (int i = 0; i < count; i++) {
            used.set(to + i, i < room ? used.get(from + i) : 0);
        }
        offsets.set(node, to);
        rooms.set(node, count);
    }

    int used(int node, int device) {
        return used.get(offsets.get(node) + device);
    }

    void set(int node, int device, int thousandths) {
        used.set(offsets.get(node) + device, thousandths);
    }
}
