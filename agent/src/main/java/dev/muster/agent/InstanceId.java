package dev.muster.agent;

import java.util.regex.Pattern;

/**
 * Which instance, as it is counted everywhere.
 *
 * @param job 1 to 64 letters, digits and hyphens, as it stands in file names
 * @param attempt grant of nodes to the job, from 1
 * @param index 0 to instances − 1
 * @param incarnation of the instance within the attempt, from 1
 */
public record InstanceId(String job, int attempt, int index, int incarnation) {

    private static final Pattern JOB = Pattern.compile("[A-Za-z0-9-]{1,64}");

    public InstanceId {
        if (!JOB.matcher(job).matches()) {
            throw new IllegalArgumentException(
                    "job '" + job + "' is not 1 to 64 letters, digits and hyphens");
        }
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

    /** {@code worker-N}, as in the name of the log. */
    public String taskId() {
        return "worker-" + index;
    }

    /** The value of {@code MUSTER_INSTANCE} for one process start. */
    public String mark(int processStart) {
        return this + "." + processStart;
    }

    @Override
    public String toString() {
        return job + "." + attempt + "." + index + "." + incarnation;
    }
}
