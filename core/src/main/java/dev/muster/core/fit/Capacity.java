package dev.muster.core.fit;

import dev.muster.core.state.ShapeTable;
import dev.muster.core.state.Signature;
import dev.muster.domain.NodeShape;
import dev.muster.domain.WaitReason;

/**
 * What the pool holds in all and what of it is free, by shapes of nodes, and the reasons that
 * follow (S02, S23).
 */
public final class Capacity {

    private final ShapeTable shapes;
    private final String scope;

    public Capacity(ShapeTable shapes, String scope) {
        this.shapes = shapes;
        this.scope = scope;
    }

    /** Whether an empty pool with every node ready would hold the gang. */
    public boolean holds(Signature signature, int instances) {
        long places = 0;
        for (int id = 0; id < shapes.size() && places < instances; id++) {
            places += shapes.nodes.get(id) * Fits.onEmpty(shapes.shape(id), signature);
        }
        return places >= instances;
    }

    /** Why no state of the pool holds the gang. */
    public WaitReason neverFits(Signature signature, int instances) {
        long matching = 0;
        long places = 0;
        int mostDevices = 0;
        int mostCpu = 0;
        int mostMemory = 0;
        for (int id = 0; id < shapes.size(); id++) {
            NodeShape shape = shapes.shape(id);
            if (shapes.nodes.get(id) > 0 && Fits.modelMatches(shape, signature)) {
                matching += shapes.nodes.get(id) * shape.devices();
                places += shapes.nodes.get(id) * Fits.onEmpty(shape, signature);
                mostDevices = Math.max(mostDevices, shape.devices());
                mostCpu = Math.max(mostCpu, shape.cpuMillis());
                mostMemory = Math.max(mostMemory, shape.memoryMebibytes());
            }
        }
        WaitReason.Code never = WaitReason.Code.NEVER_FITS;
        if (devicesNeeded(signature, instances) > matching) {
            return reason(never, devices(signature), devicesNeeded(signature, instances), matching);
        }
        if (signature.devices() > mostDevices) {
            return reason(never, devices(signature) + ON_ONE, signature.devices(), mostDevices);
        }
        if (signature.cpuMillis() > mostCpu) {
            return reason(never, CPU + ON_ONE, signature.cpuMillis(), mostCpu);
        }
        if (signature.memoryMebibytes() > mostMemory) {
            return reason(never, MEMORY + ON_ONE, signature.memoryMebibytes(), mostMemory);
        }
        return reason(never, places(signature), instances, places);
    }

    /**
     * Why the gang does not fit into what is free.
     *
     * @param free instances that would fit now
     */
    public WaitReason insufficient(Signature signature, int instances, long free) {
        long freeDevices = 0;
        long freeCpu = 0;
        long freeMemory = 0;
        for (int id = 0; id < shapes.size(); id++) {
            if (Fits.modelMatches(shapes.shape(id), signature)) {
                freeDevices +=
                        signature.fractional()
                                ? shapes.freeThousandths.get(id)
                                : shapes.freeDevices.get(id);
                freeCpu += shapes.freeCpu.get(id);
                freeMemory += shapes.freeMemory.get(id);
            }
        }
        WaitReason.Code insufficient = WaitReason.Code.INSUFFICIENT;
        long units =
                (long) instances
                        * (signature.fractional() ? signature.thousandths() : signature.devices());
        if (signature.asksDevices() && freeDevices < units) {
            String unit = signature.fractional() ? THOUSANDTHS : "";
            return reason(insufficient, unit + devices(signature), units, freeDevices);
        }
        if (freeCpu < (long) instances * signature.cpuMillis()) {
            return reason(insufficient, CPU, (long) instances * signature.cpuMillis(), freeCpu);
        }
        long memory = (long) instances * signature.memoryMebibytes();
        if (freeMemory < memory) {
            return reason(insufficient, MEMORY, memory, freeMemory);
        }
        return reason(insufficient, places(signature), instances, free);
    }

    private static final String ON_ONE = " on one node";
    private static final String CPU = "thousandths of a CPU core";
    private static final String MEMORY = "MiB of memory";
    private static final String THOUSANDTHS = "thousandths of ";

    private WaitReason reason(WaitReason.Code code, String what, long needed, long available) {
        return new WaitReason(code, what, scope, needed, Math.max(0, available));
    }

    private static String devices(Signature signature) {
        return signature.model().isEmpty()
                ? "accelerators"
                : "accelerators of " + signature.model();
    }

    /** Whole devices that the gang cannot do without. */
    private static long devicesNeeded(Signature signature, int instances) {
        if (!signature.fractional()) {
            return (long) instances * signature.devices();
        }
        int perDevice = Fits.WHOLE / signature.thousandths();
        return (instances + perDevice - 1L) / perDevice;
    }

    /** The instance's whole ask, for when each part of it is there but not together. */
    private static String places(Signature signature) {
        StringBuilder ask = new StringBuilder("places on a node for an instance of ");
        if (signature.asksDevices()) {
            ask.append(signature.fractional() ? signature.thousandths() : signature.devices())
                    .append(signature.fractional() ? " thousandths of " : " ")
                    .append(devices(signature))
                    .append(" with ");
        }
        return ask.append(signature.cpuMillis())
                .append(' ')
                .append(CPU)
                .append(" and ")
                .append(signature.memoryMebibytes())
                .append(' ')
                .append(MEMORY)
                .toString();
    }
}
