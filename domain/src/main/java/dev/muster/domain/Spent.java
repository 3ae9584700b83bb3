package dev.muster.domain;

/**
 * What a job has used of its budgets of restarts.
 *
 * @param restarts that count against the job's {@code maxRestarts}
 * @param unconditionalInRow unconditional ones since the last reset
 * @param hangInRow those after hangs since the last reset
 */
public record Spent(int restarts, int unconditionalInRow, int hangInRow) {

    public static final Spent NONE = new Spent(0, 0, 0);

    public Spent {
        if (restarts < 0 || unconditionalInRow < 0 || hangInRow < 0) {
            throw new IllegalArgumentException("what is spent is never negative");
        }
    }

    /** What stays spent after progress: nothing is in a row any more. */
    public Spent reset() {
        return new Spent(restarts, 0, 0);
    }
}
