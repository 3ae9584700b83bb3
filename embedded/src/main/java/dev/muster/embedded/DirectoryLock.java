package dev.muster.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * Keeps a second process, and a second start in this process, away from a server's directory. The
 * kernel releases it with the process, however that ends.
 */
final class DirectoryLock implements AutoCloseable {
    /** Somebody else has the lock. */
    static final class Held extends EmbeddedServerException {
        private static final long serialVersionUID = 1L;

        Held(String sentence) {
            super(sentence);
        }
    }

    // A POSIX lock is dropped as soon as *any* descriptor of the file is closed by its process, so
    // this process must not even open a lock file that it holds.
    private static final Set<Path> HELD = new HashSet<>();
    private static final int LONGEST_HOLDER_BYTES = 32;

    private final Path file;
    private final FileChannel channel;

    private DirectoryLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Takes the lock of a directory, which must exist. */
    static DirectoryLock take(Path directory) {
        try {
            Path file = directory.toRealPath().resolve("lock");
            synchronized (HELD) {
                if (!HELD.add(file)) {
                    throw inUse(directory, "this process");
                }
            }
            DirectoryLock lock = null;
            try {
                lock = open(directory, file);
                return lock;
            } finally {
                if (lock == null) {
                    forget(file);
                }
            }
        } catch (IOException e) {
            throw Sentences.unwritable(directory, e);
        }
    }

    private static DirectoryLock open(Path directory, Path file) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        boolean taken = false;
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw inUse(directory, "process " + holder(channel));
            }
            byte[] pid =
                    Long.toString(ProcessHandle.current().pid())
                            .getBytes(StandardCharsets.US_ASCII);
            channel.truncate(0).write(ByteBuffer.wrap(pid), 0);
            taken = true;
            return new DirectoryLock(file, channel);
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(LONGEST_HOLDER_BYTES);
        channel.read(content, 0);
        String pid = StandardCharsets.US_ASCII.decode(content.flip()).toString().strip();
        return pid.isEmpty() ? "another" : pid;
    }

    private static Held inUse(Path directory, String holder) {
        return new Held(
                "Data directory "
                        + directory
                        + " is in use by "
                        + holder
                        + ": stop that, or choose another data directory.");
    }

    private static void forget(Path file) {
        synchronized (HELD) {
            HELD.remove(file);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new EmbeddedServerException("The lock " + file + " could not be released.", e);
        } finally {
            forget(file);
        }
    }
}
