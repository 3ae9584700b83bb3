package dev.muster.domain;

/**
 * When a job counts as hung.
 *
 * @param hangSilenceSeconds longest silence of all its logs, 0 for no such rule (S4)
 * @param startupSeconds after a process start, in which nothing is a hang
 */
public record Watch(int hangSilenceSeconds, int startupSeconds) {

    public static final Watch DEFAULT = new Watch(0, JobSpec.Recovery.STARTUP_SECONDS);

    public Watch {
        if (hangSilenceSeconds < 0 || startupSeconds < 0) {
            throw new IllegalArgumentException("a window of a watch is never negative");
        }
    }
}
