package dev.muster.agent;

/** How all processes of an instance are held together, so that none can escape its end. */
public enum IsolationKind {
    /** A PID namespace of its own: whatever a command does, killing its first process ends all. */
    NAMESPACE,
    /**
     * Where the machine forbids namespaces: all processes that carry the mark, share the session,
     * print to the log or descend from the supervisor. Reaches a command that does one or another
     * of leaving its session, clearing its environment, and forking away, not all at once with its
     * output redirected.
     */
    PROCESS_TREE
}
