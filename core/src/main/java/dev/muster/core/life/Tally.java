package dev.muster.core.life;

/** Counts what led to nothing, for metrics; not part of the state. */
public final class Tally {

    private long stale;
    private long repeated;
    private long illegal;

    /** Of an old shard epoch, attempt, incarnation or process start. */
    void stale() {
        stale++;
    }

    void repeated() {
        repeated++;
    }

    /** Forbidden by the table of states, or by the order of an instance's life (S19). */
    void illegal() {
        illegal++;
    }

    public long staleCount() {
        return stale;
    }

    public long repeatedCount() {
        return repeated;
    }

    public long illegalCount() {
        return illegal;
    }
}
