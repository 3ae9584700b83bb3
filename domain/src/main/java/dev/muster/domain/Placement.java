package dev.muster.domain;

import java.util.List;

/**
 * Where one instance of a gang runs.
 *
 * @param index of the instance
 * @param devices indexes of the devices on that node: a hint to the backend, which reports what it
 *     really gave
 */
public record Placement(int index, NodeId node, List<Integer> devices) {

    public Placement {
        devices = List.copyOf(devices);
    }
}
