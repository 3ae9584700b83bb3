package dev.muster.domain;

/** Name of the project that a job belongs to. */
public record ProjectId(String value) implements Comparable<ProjectId> {

    public ProjectId {
        Names.require("project", value, 63);
    }

    @Override
    public int compareTo(ProjectId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
