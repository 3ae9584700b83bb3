package dev.muster.domain;

/**
 * What a node has.
 *
 * @param accelerator model of its devices, empty if it has none
 * @param devices number of devices; capacity in thousandths is 1000 times that
 * @param supernode the supernode it belongs to, empty if none
 */
public record NodeShape(
        int cpuMillis, int memoryMebibytes, String accelerator, int devices, String supernode) {

    public NodeShape {
        if (cpuMillis < 0 || memoryMebibytes < 0 || devices < 0) {
            throw new IllegalArgumentException("a node's capacity is never negative");
        }
    }

    public Resources capacity() {
        return new Resources(cpuMillis, memoryMebibytes, devices * 1000);
    }
}
