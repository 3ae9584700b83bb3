package dev.muster.executor;

import dev.muster.domain.FailureCause;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.Level;
import dev.muster.platform.kafka.ProgressRecord;

/**
 * Something became true of an instance, as its backend saw it. Each is told at least once, in order
 * for one instance; a new session is told all that holds anew.
 */
public sealed interface InstanceChange {

    InstanceRef instance();

    record Prepared(InstanceRef instance) implements InstanceChange {}

    record Started(InstanceRef instance, int processStart) implements InstanceChange {}

    /**
     * The command ended and all its processes are dead.
     *
     * @param exitCode 0 to 255; 128 + n when signal n ended it
     */
    record Exited(InstanceRef instance, int processStart, int exitCode) implements InstanceChange {}

    /** Something other than the command failed; all that is left to do is to end the instance. */
    record Failed(InstanceRef instance, FailureCause cause, String message)
            implements InstanceChange {}

    /** Nothing is left but files. The last change of an instance. */
    record Gone(InstanceRef instance) implements InstanceChange {}

    /** Evidence of a process start that hung lies in the object store. */
    record EvidenceKept(InstanceRef instance, int processStart, int incident, String location)
            implements InstanceChange {}

    /** Signals that cannot wait; not told anew to a new session. */
    record Signalled(ProgressRecord.Signal signal) implements InstanceChange {
        @Override
        public InstanceRef instance() {
            return signal.instance();
        }
    }

    record Noticed(InstanceRef instance, Level level, String message) implements InstanceChange {}
}
