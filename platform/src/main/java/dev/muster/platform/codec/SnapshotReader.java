package dev.muster.platform.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;

import dev.muster.domain.JobSnapshot;
import dev.muster.domain.PoolSnapshot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/**
 * Reads a pool's snapshot piece by piece. What the format before this one wrote is read as well,
 * all at once. Not for more than one thread at a time.
 */
public final class SnapshotReader {

    private final InputStream source;
    private final SnapshotValues values = new SnapshotValues();
    private final PoolSnapshot around;
    private final boolean checksummed;
    private final int expected;
    private List<JobSnapshot> early = List.of();
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
            PoolSnapshot whole = FirstSnapshots.read(magic, source);
            this.around = whole.withJobs(List.of());
            this.early = whole.jobs();
            this.expected = early.size();
            this.ended = true;
            return;
        }
        this.source = source;
        requireReadable(ByteBuffer.wrap(exactly(4)).getInt());
        Frame first = frame();
        if (first.kind != SnapshotFormat.AROUND) {
            throw new Malformed("the beginning of a snapshot");
        }
        this.around = readable(() -> values.around(first.content));
        this.expected = values.expectedJobs();
    }

    private static <T> T readable(Supplier<T> content) {
        try {
            return content.get();
        } catch (IndexOutOfBoundsException | IllegalArgumentException | ArithmeticException e) {
            throw new Malformed("a piece of a snapshot", e);
        }
    }

    private static void requireReadable(int version) {
        if (version > SnapshotFormat.VERSION) {
            throw Malformed.later("a snapshot", version, SnapshotFormat.VERSION);
        }
        if (version < SnapshotFormat.VERSION) {
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
    public List<JobSnapshot> next() throws IOException {
        if (!early.isEmpty()) {
            List<JobSnapshot> all = early;
            early = List.of();
            return all;
        }
        if (ended) {
            return List.of();
        }
        Frame frame = frame();
        return readable(() ->
                switch (frame.kind) {
                    case SnapshotFormat.JOBS -> jobs(frame);
                    case SnapshotFormat.END -> end(frame);
                    default -> throw new Malformed("a piece of a snapshot");
                });
    }

    private List<JobSnapshot> jobs(Frame frame) {
        List<JobSnapshot> found = new ArrayList<>(Math.min(frame.things, 1 << 16));
        for (int i = 0; i < frame.things; i++) {
            found.add(values.job(frame.content));
        }
        jobs += found.size();
        return found;
    }

    private List<JobSnapshot> end(Frame frame) {
        ended = true;
        if (jobs != expected || frame.content.number() != jobs) {
            throw new Malformed("the number of jobs of a snapshot");
        }
        return List.of();
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
