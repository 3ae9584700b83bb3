package dev.muster.executor;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.platform.kafka.ProgressRecord;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * An executor's hold on the instances of its backend. Everything is a level that rises: a call that
 * repeats, comes late or is of an older incarnation does nothing. Calls return at once, except
 * {@link #existing()}.
 */
public interface BackendSession extends AutoCloseable {

    /** Instances that were made and whose attempt was not released. Blocks. */
    Set<InstanceRef> existing() throws IOException;

    /** Takes an existing instance over: the sink is told all that holds. */
    void adopt(InstanceRef instance);

    /**
     * Makes an instance and brings it as far as ordered. If it exists already, it is adopted. What
     * prevents it is told as {@link InstanceChange.Failed}.
     */
    void make(Grant grant, InstanceRef instance, InstanceOrder order);

    /**
     * Brings an instance further. One that does not exist is told gone if it is to end; otherwise
     * nothing happens.
     */
    void raise(InstanceRef instance, InstanceOrder order);

    /** Ends whatever is left of an attempt that has ended, and forgets it. */
    void release(JobId job, int attempt);

    /** Of every instance whose command runs. Blocks: it looks at all processes. */
    List<ProgressRecord.Signal> signals() throws IOException;

    /** Of every instance of a job that was started, from memory. */
    List<ProgressRecord.Signal> signals(JobId job);

    /** Instances go on; nothing is told any more. */
    @Override
    void close();
}
