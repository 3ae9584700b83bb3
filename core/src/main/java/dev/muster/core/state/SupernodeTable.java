package dev.muster.core.state;

/** Which nodes share a supernode, and which supernodes are idle. */
public final class SupernodeTable {

    public static final int NONE = -1;

    /** Ids of supernodes; they are never freed, since nodes are few and stay. */
    public final NameTable names;

    private final IntColumn of;
    private final IntColumn heads;
    private final IntColumn next;
    private final IntColumn previous;
    private final LongColumn occupied;

    SupernodeTable(UndoLog undo) {
        this.names = new NameTable(undo);
        this.of = new IntColumn(undo, NONE);
        this.heads = new IntColumn(undo, NONE);
        this.next = new IntColumn(undo, NONE);
        this.previous = new IntColumn(undo, NONE);
        this.occupied = new LongColumn(undo);
    }

    public int size() {
        return names.limit();
    }

    /** The node's supernode, {@link #NONE} if it belongs to none. */
    public int of(int node) {
        return of.get(node);
    }

    /** A node of the supernode, then {@link #next} gives the others in no stated order. */
    public int head(int supernode) {
        return heads.get(supernode);
    }

    public int next(int node) {
        return next.get(node);
    }

    /** Whether no instance lives on any of its nodes. */
    public boolean idle(int supernode) {
        return occupied.get(supernode) == 0;
    }

    /** The first of all nodes in this node's supernode, {@link #NONE} if it belongs to none. */
    int first(int node) {
        int supernode = of.get(node);
        return supernode == NONE ? NONE : heads.get(supernode);
    }

    void join(int node, String name, int instances) {
        if (name.isEmpty()) {
            of.set(node, NONE);
            return;
        }
        int supernode = names.find(name);
        if (supernode < 0) {
            supernode = names.acquire(name);
        }
        int head = heads.get(supernode);
        of.set(node, supernode);
        next.set(node, head);
        previous.set(node, NONE);
        if (head != NONE) {
            previous.set(head, node);
        }
        heads.set(supernode, node);
        occupied.add(supernode, instances);
    }

    void leave(int node, int instances) {
        int supernode = of.get(node);
        if (supernode == NONE) {
            return;
        }
        int before = previous.get(node);
        int after = next.get(node);
        if (before == NONE) {
            heads.set(supernode, after);
        } else {
            next.set(before, after);
        }
        if (after != NONE) {
            previous.set(after, before);
        }
        occupied.add(supernode, -instances);
        of.set(node, NONE);
        next.set(node, NONE);
    }

    /** Whether the supernode became idle or ceased to be. */
    boolean occupy(int node, int instances) {
        int supernode = of.get(node);
        if (supernode == NONE) {
            return false;
        }
        boolean wasIdle = idle(supernode);
        occupied.add(supernode, instances);
        return wasIdle != idle(supernode);
    }
}
