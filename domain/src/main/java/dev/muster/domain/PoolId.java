package dev.muster.domain;

/** Name of a pool: a set of nodes under one scheduler; the unit of partitioning. */
public record PoolId(String value) implements Comparable<PoolId> {

    public PoolId {
        Names.require("pool", value, 63);
    }

    @Override
    public int compareTo(PoolId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
