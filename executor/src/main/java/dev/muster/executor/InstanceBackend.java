package dev.muster.executor;

import dev.muster.agent.InstanceLog;
import dev.muster.domain.JobId;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Where instances live: they outlive the executor and any session with it. One contract test runs
 * over all implementations.
 */
interface InstanceBackend extends AutoCloseable {

    /** A log, and whether more will come. */
    record ReadableLog(InstanceLog log, boolean live) {}

    List<BackendNode> nodes();

    /**
     * Begins to act on instances; one session at a time.
     *
     * @param sink is told every change, on any thread; must not block
     */
    BackendSession open(Consumer<InstanceChange> sink);

    /** The log of an instance's newest incarnation, empty if there is none. Blocks. */
    Optional<ReadableLog> log(JobId job, int attempt, int index) throws IOException;

    /** Every instance with its processes, ended ones whose files are kept included. Blocks. */
    List<InstanceRecord> instances() throws IOException;

    /** Gives everything up without touching it. */
    @Override
    void close();
}
