package dev.muster.core.state;

import dev.muster.domain.InvariantBroken;
import dev.muster.domain.NodeId;
import dev.muster.domain.NodeShape;

/** Nodes in order of declaration, with what the live grants use of each. */
public final class NodeTable {

    public static final int NONE = -1;

    public final RefColumn<NodeId> ids;
    public final RefColumn<NodeShape> shapes;
    public final IntColumn ready;
    public final IntColumn cordoned;
    public final IntColumn cpuUsed;
    public final IntColumn memoryUsed;

    /** Instances living on the node. */
    public final IntColumn instances;

    /** Devices in service of which nothing is used. */
    public final IntColumn wholeFree;

    /** Thousandths used of the devices in service. */
    public final IntColumn thousandthsUsed;

    public final ShapeTable byShape;
    public final SupernodeTable supernodes;
    public final ChangeLog changes;

    /** Nodes that gained room since the last cycle began to hand it out. */
    public final IntBag grown;

    private final NameTable names;
    private final IntColumn shapeIds;
    private final DeviceTable devices;

    /** What is used on all nodes, to be compared with the sum of the grants. */
    final LongCell cpuTotal;

    final LongCell memoryTotal;
    final LongCell thousandthsTotal;

    NodeTable(UndoLog undo) {
        this.ids = new RefColumn<>(undo);
        this.shapes = new RefColumn<>(undo);
        this.ready = new IntColumn(undo, 0);
        this.cordoned = new IntColumn(undo, 0);
        this.cpuUsed = new IntColumn(undo, 0);
        this.memoryUsed = new IntColumn(undo, 0);
        this.instances = new IntColumn(undo, 0);
        this.wholeFree = new IntColumn(undo, 0);
        this.thousandthsUsed = new IntColumn(undo, 0);
        this.byShape = new ShapeTable(undo);
        this.changes = new ChangeLog(undo);
        this.supernodes = new SupernodeTable(undo);
        this.grown = new IntBag(undo);
        this.names = new NameTable(undo);
        this.shapeIds = new IntColumn(undo, NONE);
        this.devices = new DeviceTable(undo);
        this.cpuTotal = new LongCell(undo);
        this.memoryTotal = new LongCell(undo);
        this.thousandthsTotal = new LongCell(undo);
    }

    public int size() {
        return names.limit();
    }

    /** The node's slot, {@link #NONE} if it was never declared. */
    public int find(NodeId node) {
        return names.find(node.value());
    }

    /** Whether the node may get something new. */
    public boolean open(int node) {
        return ready.get(node) != 0 && cordoned.get(node) == 0;
    }

    public int deviceUsed(int node, int device) {
        return devices.used(node, device);
    }

    int deviceRoom(int node) {
        return devices.room(node);
    }

    /** Adds the node, or gives it another shape; what is used on it stays used. */
    void declare(NodeId id, NodeShape shape, boolean isReady) {
        int node = find(id);
        if (node == NONE) {
            node = names.acquire(id.value());
            ids.set(node, id);
        } else {
            count(node, -1);
            int old = shapeIds.get(node);
            byShape.nodes.add(old, -1);
            supernodes.leave(node, instances.get(node));
        }
        shapes.set(node, shape);
        shapeIds.set(node, byShape.idOf(shape));
        byShape.nodes.add(shapeIds.get(node), 1);
        devices.reserve(node, shape.devices());
        supernodes.join(node, shape.supernode(), instances.get(node));
        ready.set(node, isReady ? 1 : 0);
        recountDevices(node);
        count(node, 1);
        changes.touch(node);
        changes.touchShape();
        grown.add(node);
    }

    void setReady(int node, boolean value) {
        count(node, -1);
        ready.set(node, value ? 1 : 0);
        opened(node, value);
    }

    void setCordoned(int node, boolean value) {
        count(node, -1);
        cordoned.set(node, value ? 1 : 0);
        opened(node, !value);
    }

    private void opened(int node, boolean gained) {
        count(node, 1);
        changes.touch(node);
        if (gained) {
            grown.add(node);
        }
    }

    /** An instance takes its share of the node. */
    void take(int node, Share share) {
        count(node, -1);
        book(node, share, 1);
        count(node, 1);
        if (supernodes.occupy(node, 1)) {
            touchSupernode(node);
        }
        changes.touch(node);
    }

    /** An instance gives its share of the node back. */
    void give(int node, Share share) {
        count(node, -1);
        book(node, share, -1);
        count(node, 1);
        if (supernodes.occupy(node, -1)) {
            touchSupernode(node);
        }
        changes.touch(node);
        grown.add(node);
    }

    /** The share must have been free: to be asked after a grant. */
    void requireWithin(int node, Share share) {
        NodeShape shape = shapes.get(node);
        boolean cpuOver = share.cpuMillis() > 0 && cpuUsed.get(node) > shape.cpuMillis();
        boolean memoryOver =
                share.memoryMebibytes() > 0 && memoryUsed.get(node) > shape.memoryMebibytes();
        if (cpuOver || memoryOver || !open(node)) {
            throw new InvariantBroken("node " + ids.get(node) + " was granted beyond its capacity");
        }
    }

    private void book(int node, Share share, int sign) {
        cpuUsed.add(node, sign * share.cpuMillis());
        memoryUsed.add(node, sign * share.memoryMebibytes());
        instances.add(node, sign);
        cpuTotal.add((long) sign * share.cpuMillis());
        memoryTotal.add((long) sign * share.memoryMebibytes());
        int inService = shapes.get(node).devices();
        for (int i = 0; i < share.devices().size(); i++) {
            int device = share.devices().get(i);
            devices.reserve(node, device + 1);
            int before = devices.used(node, device);
            int after = before + sign * share.thousandthsOfEach();
            if (after < 0 || after > DeviceTable.WHOLE) {
                throw new InvariantBroken(
                        "device "
                                + device
                                + " of node "
                                + ids.get(node)
                                + " would have "
                                + after
                                + " thousandths used");
            }
            devices.set(node, device, after);
            thousandthsTotal.add(after - before);
            if (device < inService) {
                thousandthsUsed.add(node, after - before);
                wholeFree.add(node, (after == 0 ? 1 : 0) - (before == 0 ? 1 : 0));
            }
        }
        if (cpuUsed.get(node) < 0 || memoryUsed.get(node) < 0 || instances.get(node) < 0) {
            throw new InvariantBroken("node " + ids.get(node) + " gave back more than was taken");
        }
    }

    private void recountDevices(int node) {
        int free = 0;
        int used = 0;
        for (int device = 0; device < shapes.get(node).devices(); device++) {
            int thousandths = devices.used(node, device);
            used += thousandths;
            free += thousandths == 0 ? 1 : 0;
        }
        wholeFree.set(node, free);
        thousandthsUsed.set(node, used);
    }

    /** Adds what is free on the node to the sums of its shape, or takes it out of them. */
    private void count(int node, int sign) {
        if (!open(node)) {
            return;
        }
        NodeShape shape = shapes.get(node);
        int id = shapeIds.get(node);
        byShape.freeCpu.add(id, (long) sign * (shape.cpuMillis() - cpuUsed.get(node)));
        byShape.freeMemory.add(id, (long) sign * (shape.memoryMebibytes() - memoryUsed.get(node)));
        byShape.freeDevices.add(id, (long) sign * wholeFree.get(node));
        long thousandths = (long) shape.devices() * DeviceTable.WHOLE - thousandthsUsed.get(node);
        byShape.freeThousandths.add(id, sign * thousandths);
    }

    private void touchSupernode(int node) {
        for (int n = supernodes.first(node); n != NONE; n = supernodes.next(n)) {
            changes.touch(n);
        }
    }
}
