package dev.muster.agent;

/**
 * Limits of each single input and output, inclusive (S0, S1). Sizes in bytes.
 *
 * @param inputBytes all objects of an input together
 * @param outputBytes all files of an output together, brought-in ones included
 */
public record DataLimits(
        long inputBytes,
        int inputFiles,
        long inputFileBytes,
        long outputBytes,
        int outputFiles,
        long outputFileBytes) {

    private static final long MB = 1L << 20;
    private static final long GB = 1L << 30;

    public static final DataLimits DEFAULTS = new DataLimits(10 * GB, 1000, GB, GB, 128, 128 * MB);

    public DataLimits {
        if (inputBytes < 0
                || inputFiles < 0
                || inputFileBytes < 0
                || outputBytes < 0
                || outputFiles < 0
                || outputFileBytes < 0) {
            throw new IllegalArgumentException("a data limit is negative");
        }
    }
}
