package dev.muster.platform.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;

import dev.muster.domain.JobBlock;
import dev.muster.domain.PoolSnapshot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/**
 * Reads a pool's snapshot piece by piece. What the first formats wrote is read as well, all at
 * once. Not for more than one thread at a time.
 */
public final class SnapshotReader {

    private static final JobBlock NONE = JobBlock.of(List.of());

    private final InputStream source;
    private final SnapshotValues values;
    private final PoolSnapshot around;
    private final boolean checksummed;
    private final int expected;
    private JobBlock early = NONE;
    private boolean ended;
    private long jobs;

    /**
     * Reads everything but the jobs.
     *
     * @throws Malformed if it is no snapshot, or one of a later format
     * @throws IOException if the source fails
     */
    public SnapshotReader(InputStream source) throws IOException {
        byte[] magic = source.readNBytes(SnapshotFormat.MAGIC.length);
        this.checksummed = Arrays.equals(magic, SnapshotFormat.MAGIC);
        if (!checksummed) {
            this.source = InputStream.nullInputStream();
            this.values = new SnapshotValues(false);
            PoolSnapshot whole = FirstSnapshots.read(magic, source);
            this.around = whole.withJobs(List.of());
            this.early = JobBlock.of(whole.jobs());
            this.expected = early.size();
            this.ended = true;
            return;
        }
        this.source = source;
        int version = ByteBuffer.wrap(exactly(4)).getInt();
        requireReadable(version);
        this.values = new SnapshotValues(version == SnapshotFormat.FIRST_VERSION);
        Frame first = frame();
        if (first.kind != SnapshotFormat.AROUND) {
            throw new Malformed("the beginning of a snapshot");
        }
        this.around =
                readable(() -> {
                    values.define(first.content);
                    return values.around(first.content);
                });
        this.expected = values.expectedJobs();
    }

    private static <T> T readable(Supplier<T> content) {
        try {
            return content.get();
        } catch (Malformed e) {
            throw e;
        } catch (RuntimeException e) {
            // whatever bytes lead to that were not written by this version
            throw new Malformed("a piece of a snapshot", e);
        }
    }

    private static void requireReadable(int version) {
        if (version > SnapshotFormat.VERSION) {
            throw Malformed.later("a snapshot", version, SnapshotFormat.VERSION);
        }
        if (version < SnapshotFormat.FIRST_VERSION) {
            throw new Malformed("the version of a snapshot");
        }
    }

    /** All but the jobs. */
    public PoolSnapshot around() {
        return around;
    }

    /** Jobs that follow. */
    public int expectedJobs() {
        return expected;
    }

    /** Whether each piece has a checksum of its own. */
    public boolean checksummed() {
        return checksummed;
    }

    /**
     * The next jobs in order of submission, none at the end.
     *
     * @throws Malformed if the bytes are not as they were written
     */
    public JobBlock next() throws IOException {
        if (!early.isEmpty()) {
            JobBlock all = early;
            early = NONE;
            return all;
        }
        if (ended) {
            return NONE;
        }
        Frame frame = frame();
        return readable(() -> {
            values.define(frame.content);
            return switch (frame.kind) {
                case SnapshotFormat.JOBS -> jobs(frame);
                case SnapshotFormat.END -> end(frame);
                default -> throw new Malformed("a piece of a snapshot");
            };
        });
    }

    private JobBlock jobs(Frame frame) {
        if (frame.things < 1 || frame.things > SnapshotFormat.JOBS_PER_FRAME) {
            throw new Malformed("the number of jobs in a piece of a snapshot");
        }
        JobBlock found = values.jobs(frame.content, frame.things);
        jobs += found.size();
        return found;
    }

    private JobBlock end(Frame frame) {
        ended = true;
        if (jobs != expected || frame.content.number() != jobs) {
            throw new Malformed("the number of jobs of a snapshot");
        }
        return NONE;
    }

    private record Frame(byte kind, int things, PackedInput content) {}

    private Frame frame() throws IOException {
        ByteBuffer head = ByteBuffer.wrap(exactly(SnapshotFormat.FRAME_HEAD));
        byte kind = head.get();
        int things = head.getInt();
        int packed = head.getInt();
        int unpacked = head.getInt();
        int wanted = head.getInt();
        boolean bounded =
                things >= 0
                        && packed >= 0
                        && packed <= SnapshotFormat.MAX_FRAME_BYTES
                        && unpacked >= 0
                        && unpacked <= SnapshotFormat.MAX_FRAME_BYTES;
        if (!bounded) {
            throw new Malformed("the size of a piece of a snapshot");
        }
        byte[] bytes = exactly(packed);
        CRC32C checksum = new CRC32C();
        checksum.update(head.array(), 0, SnapshotFormat.FRAME_HEAD - 4);
        checksum.update(bytes);
        if ((int) checksum.getValue() != wanted) {
            throw new Malformed("the checksum of a snapshot");
        }
        try {
            return new Frame(kind, things, new PackedInput(Zstd.decompress(bytes, unpacked)));
        } catch (ZstdException e) {
            throw new Malformed("a piece of a snapshot", e);
        }
    }

    private byte[] exactly(int count) throws IOException {
        byte[] bytes = source.readNBytes(count);
        if (bytes.length < count) {
            throw new Malformed("a snapshot that ends early");
        }
        return bytes;
    }
}
