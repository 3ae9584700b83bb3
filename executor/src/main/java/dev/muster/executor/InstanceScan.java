package dev.muster.executor;

import dev.muster.agent.Adoption;
import dev.muster.agent.ProcessStart;
import dev.muster.domain.InstanceRef;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads from the files and processes of this machine which instances there are, how often each of
 * their commands was started, and what of them lives. Needs no running executor.
 */
public final class InstanceScan {

    private InstanceScan() {}

    /**
     * Blocks; some file reads and a look at all processes for each instance.
     *
     * @param dataDirectory that the executor runs with
     * @return every instance whose files are kept; an instance of an ended attempt has nothing
     *     living, a process start at most one start
     */
    public static List<InstanceRecord> of(Path dataDirectory) throws IOException {
        Path root = LocalHome.instances(dataDirectory);
        return Files.isDirectory(root) ? of(new InstanceTree(root.toRealPath())) : List.of();
    }

    static List<InstanceRecord> of(InstanceTree tree) throws IOException {
        List<InstanceRecord> records = new ArrayList<>();
        for (InstanceTree.Attempt attempt : tree.attempts()) {
            for (InstanceRef each : tree.instances(attempt)) {
                inspect(tree, attempt, each).ifPresent(records::add);
            }
        }
        return records;
    }

    /** Empty if nothing was begun there, or it was deleted this moment. */
    private static Optional<InstanceRecord> inspect(
            InstanceTree tree, InstanceTree.Attempt attempt, InstanceRef instance)
            throws IOException {
        Path root = tree.instance(instance);
        try {
            List<InstanceRecord.Start> starts =
                    Adoption.examine(root).processStarts().stream()
                            .map(InstanceScan::start)
                            .toList();
            return Optional.of(
                    new InstanceRecord(
                            instance,
                            tree.hasEnded(attempt),
                            starts,
                            Adoption.livingProcesses(root)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static InstanceRecord.Start start(ProcessStart start) {
        return new InstanceRecord.Start(start.number(), start.starts());
    }
}
