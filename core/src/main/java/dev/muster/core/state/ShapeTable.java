package dev.muster.core.state;

import dev.muster.domain.NodeShape;

/**
 * Sums over all nodes that have the same devices, CPU and memory: there are few such shapes in a
 * pool of any size, so questions about the whole pool cost their number.
 */
public final class ShapeTable {

    private final PairIndex index;
    private final LongCell count;
    private final RefColumn<NodeShape> shapes;

    /** Nodes of the shape, whether they are ready or not. */
    public final LongColumn nodes;

    /** What is free on nodes of the shape that may get something new. */
    public final LongColumn freeCpu;

    public final LongColumn freeMemory;
    public final LongColumn freeDevices;
    public final LongColumn freeThousandths;

    /** Ids of models, "" included; never freed, since nodes are few and stay. */
    public final NameTable models;

    ShapeTable(UndoLog undo) {
        this.index = new PairIndex(undo);
        this.count = new LongCell(undo);
        this.shapes = new RefColumn<>(undo);
        this.nodes = new LongColumn(undo);
        this.freeCpu = new LongColumn(undo);
        this.freeMemory = new LongColumn(undo);
        this.freeDevices = new LongColumn(undo);
        this.freeThousandths = new LongColumn(undo);
        this.models = new NameTable(undo);
    }

    public int size() {
        return count.asInt();
    }

    /** A shape of these nodes; its supernode says nothing. */
    public NodeShape shape(int id) {
        return shapes.get(id);
    }

    int idOf(NodeShape shape) {
        int model = models.acquire(shape.accelerator());
        long a = ((long) shape.cpuMillis() << 32) | shape.memoryMebibytes();
        long b = ((long) model << 32) | shape.devices();
        int id = index.find(a, b);
        if (id < 0) {
            id = count.asInt();
            count.set(id + 1L);
            index.put(id, a, b);
            shapes.set(id, shape);
        }
        return id;
    }
}
