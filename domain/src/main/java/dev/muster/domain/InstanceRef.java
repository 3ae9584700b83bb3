package dev.muster.domain;

/**
 * One instance of a gang, as it is counted: desired and observed state carry counters, never verbs.
 *
 * @param attempt grant of nodes to the job, from 1
 * @param index 0 to instances − 1
 * @param incarnation of the instance's container within the attempt, from 1
 */
public record InstanceRef(JobId job, int attempt, int index, int incarnation) {

    public InstanceRef {
        if (attempt < 1 || index < 0 || incarnation < 1) {
            throw new IllegalArgumentException(
                    "attempt and incarnation count from 1, index from 0: "
                            + attempt
                            + "."
                            + index
                            + "."
                            + incarnation);
        }
    }

    @Override
    public String toString() {
        return job + "." + attempt + "." + index + "." + incarnation;
    }
}
