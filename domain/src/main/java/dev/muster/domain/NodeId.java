package dev.muster.domain;

/** Name of a node; a node belongs to one pool. */
public record NodeId(String value) implements Comparable<NodeId> {

    public NodeId {
        Names.require("node", value, 253);
    }

    @Override
    public int compareTo(NodeId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
