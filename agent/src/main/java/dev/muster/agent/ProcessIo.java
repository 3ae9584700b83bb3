package dev.muster.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Bytes that the machine's processes have read and written, by instance: one look at all processes
 * serves all instances. What a process moved is forgotten with its end, so a sum may fall.
 */
public final class ProcessIo {

    /** Before the first look. */
    public static final ProcessIo NONE = new ProcessIo(Map.of());

    private final Map<String, Long> byGroup;

    private ProcessIo(Map<String, Long> byGroup) {
        this.byGroup = byGroup;
    }

    /** Blocks; a few file reads for each process of the machine that is in an instance. */
    public static ProcessIo look() throws IOException {
        Map<String, Long> sums = new TreeMap<>();
        String own = ProcessTable.namespace(ProcessHandle.current().pid()).orElse("");
        for (ProcessTable.Entry each : ProcessTable.living()) {
            String namespace = ProcessTable.namespace(each.pid()).orElse(own);
            String group = namespace.equals(own) ? session(each.session()) : namespace;
            ProcessTable.bytesMoved(each.pid())
                    .ifPresent(bytes -> sums.merge(group, bytes, Long::sum));
        }
        return new ProcessIo(sums);
    }

    /**
     * Of the instance below this root: all that share its namespace, or its session where it has
     * none. 0 if nothing is known.
     */
    public long bytes(Path root) {
        Optional<SupervisorIdentity> supervisor = supervisor(root);
        if (supervisor.isEmpty()) {
            return 0;
        }
        long pid = supervisor.get().pid();
        String group =
                supervisor.get().hasNamespace()
                        ? ProcessTable.namespace(pid).orElse("")
                        : session(pid);
        return byGroup.getOrDefault(group, 0L);
    }

    private static Optional<SupervisorIdentity> supervisor(Path root) {
        try {
            return SupervisorIdentity.read(new InstanceDirectories(root).control());
        } catch (IOException e) {
            return Optional.empty(); // it was deleted this moment
        }
    }

    private static String session(long id) {
        return "session " + id;
    }
}
