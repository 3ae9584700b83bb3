package dev.muster.agent;

/**
 * Something became true of an instance. Each is told at least once: after an adoption, all that
 * hold are told again.
 */
public sealed interface InstanceEvent {

    InstanceId id();

    /** Code and inputs are in place. */
    record Prepared(InstanceId id) implements InstanceEvent {}

    /** The command was executed. */
    record Started(InstanceId id, int processStart) implements InstanceEvent {}

    /**
     * The command ended, or was stopped before it began; all its processes are dead.
     *
     * @param exitCode 0 to 255; 128 + n when signal n ended it
     */
    record Exited(InstanceId id, int processStart, int exitCode) implements InstanceEvent {}

    /** The final sync is complete. */
    record Synced(InstanceId id) implements InstanceEvent {}

    /** The instance cannot go on; it stays until it is killed or finished. */
    record Failed(InstanceId id, InstanceFailure failure) implements InstanceEvent {}

    /** No process of it is left. */
    record Gone(InstanceId id) implements InstanceEvent {}

    /** A remark for the job's history, such as an output over its limit. */
    record Noticed(InstanceId id, String message) implements InstanceEvent {}

    /** Evidence of a process start that hung lies in the object store. */
    record EvidenceKept(InstanceId id, int processStart, int incident, String location)
            implements InstanceEvent {}

    /**
     * Signals that cannot wait: a silence that grew too long or was broken, a line that a failure
     * pattern matched, or, before the event of that, an end. Told each time, not only once.
     */
    record Signalled(InstanceId id, Signals signals) implements InstanceEvent {}
}
