package dev.muster.agent;

/** How far an instance has come. */
public enum InstancePhase {
    /** Known by its plan; code and inputs are not complete. */
    PREPARING,
    /** Code and inputs are in place; no process start is running. */
    PREPARED,
    /** A process start was ordered, and has not ended. */
    RUNNING,
    /** The command has ended; the last sync and the supervisor's leave are under way. */
    FINISHING,
    /** Nothing of it is left but its files. */
    GONE
}
