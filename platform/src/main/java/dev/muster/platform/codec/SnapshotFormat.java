package dev.muster.platform.codec;

import java.nio.charset.StandardCharsets;

/**
 * How a snapshot is laid out: a magic and a version, then frames of {@code kind, number of things,
 * bytes packed, bytes unpacked, CRC-32C of these and of what follows}, the packed bytes behind
 * them. The first frame has everything but the jobs, the last one says how many jobs there were.
 * What repeats is written once and then named by its number, across frames: they are read in order.
 *
 * <p>A frame defines the values that it names first, then has the jobs that merely wait column by
 * column, then the others. In version 3 a value was written where it was named first, and each job
 * by itself.
 */
final class SnapshotFormat {

    static final byte[] MAGIC = "MUSTSNAP".getBytes(StandardCharsets.US_ASCII);

    /** The version written. */
    static final int VERSION = 4;

    /** The first version of this kind: before it, a snapshot was zstd of JSON. */
    static final int FIRST_VERSION = 3;

    static final byte AROUND = 1;
    static final byte JOBS = 2;
    static final byte END = 3;

    /** Bytes of a frame before what it holds. */
    static final int FRAME_HEAD = 17;

    /** Jobs of one frame: bounds what writer and reader hold at a time. */
    static final int JOBS_PER_FRAME = 8192;

    /** Things of one kind that are named by number; later ones are written each time. */
    static final int MOST_SHARED = 1 << 18;

    static final int MAX_FRAME_BYTES = 256 << 20;

    private SnapshotFormat() {}
}
