package dev.muster.domain;

/** Name of a queue of a pool. */
public record QueueId(String value) implements Comparable<QueueId> {

    public QueueId {
        Names.require("queue", value, 63);
    }

    @Override
    public int compareTo(QueueId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
