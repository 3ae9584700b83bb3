package dev.muster.domain;

/**
 * Name of a lane: one producer's numbered stream to one pool, as {@code
 * role/producer/pool[/epoch]}.
 */
public record LaneId(String value) implements Comparable<LaneId> {

    public LaneId {
        Names.require("lane", value, 200);
    }

    @Override
    public int compareTo(LaneId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
