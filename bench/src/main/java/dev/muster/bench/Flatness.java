package dev.muster.bench;

import java.util.Arrays;

/**
 * Whether a figure stays as it is while time goes by. The first quarter of its samples is for
 * warming up; the median of the second is held against the median of the last, so that neither
 * peaks nor a few strange samples decide.
 *
 * @param early median of the second quarter, or what a job added from there to the third
 * @param late median of the last quarter, or what a job added from the third to there
 * @param flat whether the late figure exceeds the early one by no more than is tolerated
 */
record Flatness(double early, double late, boolean flat) {

    static final int LEAST_SAMPLES = 8;

    /**
     * What may change without being a leak.
     *
     * @param absolute in the unit of the figure
     * @param relative share of the early figure; the greater of both counts
     */
    record Tolerance(double absolute, double relative) {

        private boolean allows(double early, double late) {
            return late - early <= Math.max(absolute, relative * early);
        }
    }

    /**
     * Of a figure that is to stay on its level.
     *
     * @param samples at equal intervals
     */
    static Flatness ofLevel(double[] samples, Tolerance tolerance) {
        double early = quarter(samples, 1);
        double late = quarter(samples, 3);
        return new Flatness(early, late, tolerance.allows(early, late));
    }

    /**
     * Of a figure that grows with each job, as is promised: each job is to add no more than those
     * before it.
     *
     * @param samples at equal intervals
     * @param jobs so far, at each sample
     */
    static Flatness ofGrowth(double[] samples, double[] jobs, Tolerance tolerance) {
        double early = perJob(samples, jobs, 1);
        double late = perJob(samples, jobs, 2);
        return new Flatness(early, late, tolerance.allows(early, late));
    }

    /** From the median of a quarter to that of the next one. */
    private static double perJob(double[] samples, double[] jobs, int from) {
        double added = quarter(jobs, from + 1) - quarter(jobs, from);
        return (quarter(samples, from + 1) - quarter(samples, from)) / Math.max(1, added);
    }

    private static double quarter(double[] samples, int number) {
        if (samples.length < LEAST_SAMPLES) {
            throw new BenchFailed(samples.length + " samples are too few");
        }
        return median(
                Arrays.copyOfRange(
                        samples, samples.length * number / 4, samples.length * (number + 1) / 4));
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }
}
