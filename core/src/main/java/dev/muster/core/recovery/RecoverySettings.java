package dev.muster.core.recovery;

/**
 * Bounds of recovery that are the same for every job of a pool.
 *
 * @param classifyMillis for which the monitor's word on an exit is awaited
 * @param unconditionalInRow unconditional restarts in a row (S0: the fourth exit fails the job)
 * @param hangInRow restarts after hangs in a row (S0)
 */
public record RecoverySettings(int classifyMillis, int unconditionalInRow, int hangInRow) {

    public static final RecoverySettings DEFAULT = new RecoverySettings(5_000, 3, 3);

    public RecoverySettings {
        if (classifyMillis < 1 || unconditionalInRow < 1 || hangInRow < 1) {
            throw new IllegalArgumentException("the bounds of recovery are at least 1");
        }
    }
}
