package dev.muster.agent;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * Reads a file and fails at its end if it is another one by then than it was at the beginning. What
 * is written from it can so be given up before it is visible.
 */
final class UnchangedInputStream extends InputStream {

    /** The file was written to, replaced or deleted meanwhile. */
    static final class ChangedException extends IOException {

        private static final long serialVersionUID = 1L;

        private ChangedException(Path file) {
            super(file + " changed while it was read");
        }
    }

    private final SafeTree tree;
    private final Path file;
    private final SafeTree.Version version;
    private final SeekableByteChannel channel;
    private final InputStream in;
    private final BooleanSupplier cancelled;
    private long left;

    /**
     * @param cancelled gives up reading
     */
    UnchangedInputStream(
            SafeTree tree, Path file, SafeTree.Version version, BooleanSupplier cancelled)
            throws IOException {
        this.tree = tree;
        this.file = file;
        this.version = version;
        this.cancelled = cancelled;
        this.channel = tree.openFile(file);
        this.in = Channels.newInputStream(channel);
        this.left = version.size();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (cancelled.getAsBoolean()) {
            throw new CancelledException();
        }
        int n = left == 0 ? -1 : in.read(buffer, offset, (int) Math.min(length, left));
        if (n >= 0) {
            left -= n;
            return n;
        }
        if (left > 0 || !isUnchanged()) {
            throw new ChangedException(file);
        }
        return -1;
    }

    private boolean isUnchanged() throws IOException {
        try {
            return version.equals(tree.version(file));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
