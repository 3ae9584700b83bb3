package dev.muster.agent;

/** What the steps of an instance know of their surroundings. */
interface Session {
    Wanted wanted();

    boolean closed();

    /** Looks again soon. */
    void wake();

    /** Tells an event, once in this process. */
    void tell(InstanceEvent event);
}
