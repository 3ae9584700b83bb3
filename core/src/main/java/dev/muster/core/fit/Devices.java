package dev.muster.core.fit;

import dev.muster.core.state.NodeTable;
import dev.muster.core.state.Signature;

import java.util.ArrayList;
import java.util.List;

/** Chooses devices on one node for several instances, one after the other. */
final class Devices {

    private final NodeTable nodes;

    /** Thousandths used, with what was chosen here. */
    private int[] used = new int[16];

    private int count;

    Devices(NodeTable nodes) {
        this.nodes = nodes;
    }

    void begin(int node) {
        count = nodes.shapes.get(node).devices();
        if (used.length < count) {
            used = new int[count];
        }
        for (int device = 0; device < count; device++) {
            used[device] = nodes.deviceUsed(node, device);
        }
    }

    /** Devices of the next instance; it must fit. */
    List<Integer> next(Signature signature) {
        if (!signature.asksDevices()) {
            return List.of();
        }
        return signature.fractional() ? List.of(shared(signature.thousandths())) : whole(signature);
    }

    /** Best fit: the device with the least room that suffices. */
    private int shared(int thousandths) {
        int best = -1;
        for (int device = 0; device < count; device++) {
            boolean fits = used[device] + thousandths <= Fits.WHOLE;
            if (fits && (best < 0 || used[device] > used[best])) {
                best = device;
            }
        }
        used[best] += thousandths;
        return best;
    }

    private List<Integer> whole(Signature signature) {
        List<Integer> chosen = new ArrayList<>(signature.devices());
        for (int device = 0; chosen.size() < signature.devices(); device++) {
            if (used[device] == 0) {
                used[device] = Fits.WHOLE;
                chosen.add(device);
            }
        }
        return chosen;
    }
}
