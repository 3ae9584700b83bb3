package dev.muster.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The log of one instance. Reading holds no more than what is asked for; the file may not exist
 * yet, which is an empty log.
 */
public final class InstanceLog {

    /** Most bytes that one read returns. */
    public static final int MAX_READ_BYTES = 1 << 20;

    /** How often a follower looks whether the log has grown. */
    static final Duration LOOK = Duration.ofMillis(200);

    private final SafeTree tree;
    private final Path file;

    /** Needs no agent, and no plan: only the instance's root. */
    public InstanceLog(Path root, InstanceId id) {
        this.tree = new SafeTree(root);
        this.file = new InstanceDirectories(root).log(id);
    }

    /** Bytes written so far. */
    public long size() throws IOException {
        return tree.size(file);
    }

    /**
     * Reads at most {@code maxBytes} from {@code offset} on; empty at or beyond the end.
     *
     * @param maxBytes 1 to {@link #MAX_READ_BYTES}
     */
    public byte[] read(long offset, int maxBytes) throws IOException {
        if (maxBytes < 1 || maxBytes > MAX_READ_BYTES) {
            throw new IllegalArgumentException(
                    "a read takes 1 to " + MAX_READ_BYTES + " bytes, not " + maxBytes);
        }
        return tree.read(file, offset, maxBytes);
    }

    /** Reads the log as it grows, from {@code offset} on. */
    public LogFollower follow(long offset) {
        return new LogFollower(this, offset);
    }
}
