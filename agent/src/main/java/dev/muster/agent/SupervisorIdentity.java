package dev.muster.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The process that holds an instance: the supervisor itself, or the one that keeps its namespace.
 *
 * @param startTicks with the pid, names it for ever within a boot
 * @param kind {@code namespace}, {@code tree}, or {@code alone} in a pod
 */
record SupervisorIdentity(long pid, long startTicks, String bootId, String kind) {

    static final String NAME = "supervisor";

    /** Empty as long as nobody claimed the place, or did so this moment. */
    static Optional<SupervisorIdentity> read(Path control) throws IOException {
        Optional<String> text = ControlFiles.read(control, NAME);
        if (text.isEmpty() || !text.get().endsWith("\n")) {
            return Optional.empty();
        }
        String[] words = text.get().strip().split(" ", 4);
        return Optional.of(
                new SupervisorIdentity(
                        Long.parseLong(words[0]), Long.parseLong(words[1]), words[2], words[3]));
    }

    boolean lives() throws IOException {
        return ProcessTable.lives(pid, startTicks) && bootId.equals(ProcessTable.bootId());
    }

    boolean hasNamespace() {
        return !kind.equals("tree");
    }
}
