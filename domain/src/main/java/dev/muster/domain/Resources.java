package dev.muster.domain;

/**
 * An amount of a node's resources.
 *
 * @param cpuMillis thousandths of a core
 * @param memoryMebibytes MiB
 * @param acceleratorThousandths thousandths of one device: 1000 is one whole device, below 1000 a
 *     share of one, above it a whole multiple
 */
public record Resources(int cpuMillis, int memoryMebibytes, int acceleratorThousandths) {

    public static final Resources NONE = new Resources(0, 0, 0);

    public Resources {
        if (cpuMillis < 0 || memoryMebibytes < 0 || acceleratorThousandths < 0) {
            throw new IllegalArgumentException("an amount of resources is never negative");
        }
    }
}
