package dev.muster.agent;

import java.io.IOException;
import java.time.Duration;

/**
 * Reads a growing log piece by piece. The reader asks for each piece, so a slow one costs nothing.
 * Not thread-safe.
 */
public final class LogFollower {

    private static final int PIECE_BYTES = 64 * 1024;

    private final InstanceLog log;
    private long offset;

    LogFollower(InstanceLog log, long offset) {
        this.log = log;
        this.offset = offset;
    }

    /** Of the next byte to be read. */
    public long offset() {
        return offset;
    }

    /**
     * The next piece, at most 64 KiB; empty if nothing was written within {@code patience}. Whether
     * more will ever come, the caller knows from the instance's state: read once more after its
     * end.
     */
    public byte[] next(Duration patience) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            byte[] piece = log.read(offset, PIECE_BYTES);
            long left = deadline - System.nanoTime();
            if (piece.length > 0 || left <= 0) {
                offset += piece.length;
                return piece;
            }
            Thread.sleep(Duration.ofNanos(Math.min(left, InstanceLog.LOOK.toNanos())));
        }
    }
}
