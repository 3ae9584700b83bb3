package dev.muster.core.state;

/** Dense ids of names, counted by their holders: the last one to release a name frees its id. */
public final class NameTable extends OpenTable {

    private final RefColumn<String> names;
    private final IntColumn holders;
    private final SlotAllocator slots;

    NameTable(UndoLog undo) {
        super(undo);
        this.names = new RefColumn<>(undo);
        this.holders = new IntColumn(undo, 0);
        this.slots = new SlotAllocator(undo);
    }

    /** The id, −1 if nobody holds the name. */
    public int find(String name) {
        int position = start(mix(name.hashCode(), 0));
        int slot = at(position);
        while (slot >= 0 && !names.get(slot).equals(name)) {
            position = next(position);
            slot = at(position);
        }
        return slot;
    }

    public String name(int id) {
        return names.get(id);
    }

    /** Ids lie below this. */
    public int limit() {
        return slots.limit();
    }

    int acquire(String name) {
        int id = find(name);
        if (id < 0) {
            id = slots.take();
            names.set(id, name);
            insert(id);
        }
        holders.add(id, 1);
        return id;
    }

    void release(int id) {
        holders.add(id, -1);
        if (holders.get(id) == 0) {
            remove(id);
            names.set(id, null);
            slots.give(id);
        }
    }

    @Override
    long hash(int slot) {
        return mix(names.get(slot).hashCode(), 0);
    }
}
