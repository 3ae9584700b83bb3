package dev.muster.executor;

import dev.muster.agent.Adoption;
import dev.muster.agent.InstanceLog;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Real processes on this machine, on declared nodes with pretended accelerators. There are no
 * images: a command runs on the host.
 */
final class LocalBackend implements InstanceBackend {

    private final List<BackendNode> nodes;
    private final LocalMachine machine;

    LocalBackend(List<BackendNode> nodes, LocalMachine machine) {
        this.nodes = List.copyOf(nodes);
        this.machine = machine;
    }

    InstanceTree tree() {
        return machine.tree();
    }

    @Override
    public List<BackendNode> nodes() {
        return nodes;
    }

    @Override
    public BackendSession open(Consumer<InstanceChange> sink) {
        return new LocalSession(machine, sink);
    }

    @Override
    public Optional<ReadableLog> log(JobId job, int attempt, int index) throws IOException {
        Optional<InstanceRef> newest = machine.tree().newest(job, attempt, index);
        if (newest.isEmpty()) {
            return Optional.empty();
        }
        Path root = machine.tree().instance(newest.get());
        boolean live =
                !machine.tree().hasEnded(new InstanceTree.Attempt(job, attempt)) && !isGone(root);
        return Optional.of(
                new ReadableLog(new InstanceLog(root, InstancePlans.id(newest.get())), live));
    }

    private static boolean isGone(Path root) throws IOException {
        try {
            return Adoption.examine(root).gone();
        } catch (NoSuchFileException e) {
            return false; // about to be made
        }
    }

    @Override
    public List<InstanceRecord> instances() throws IOException {
        return InstanceScan.of(machine.tree());
    }

    @Override
    public void close() {
        // sessions hold all that there is
    }
}
