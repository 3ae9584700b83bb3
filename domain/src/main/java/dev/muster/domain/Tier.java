package dev.muster.domain;

/** How much of a gang a restart replaces, the cheapest first; each includes the ones before it. */
public enum Tier {
    /** The command of every instance, inside the container that it ran in. */
    PROCESS("proc_restart"),
    /** Every instance's container, on the node where it is. */
    CONTAINER("pod_reschedule"),
    /** The attempt: the nodes are given back and the gang is placed anew. */
    JOB("job_reschedule");

    private final String ledgerName;

    Tier(String ledgerName) {
        this.ledgerName = ledgerName;
    }

    /** The vendors' name for it, as the recovery ledger shows it (S1). */
    public String ledgerName() {
        return ledgerName;
    }

    /** The next more thorough one; nothing is more thorough than {@link #JOB}. */
    public Tier next() {
        return switch (this) {
            case PROCESS -> CONTAINER;
            case CONTAINER, JOB -> JOB;
        };
    }

    /** The more thorough of the two. */
    public Tier atLeast(Tier other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
