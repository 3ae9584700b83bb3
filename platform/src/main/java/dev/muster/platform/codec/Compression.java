package dev.muster.platform.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;

/** zstd with a bound on what is unpacked. */
final class Compression {

    /** Level 3: the knee between time and size for rows of some kilobytes. */
    private static final int LEVEL = 3;

    private static final long MAX_UNPACKED_BYTES = 256L << 20;

    private Compression() {}

    static byte[] compress(byte[] data) {
        return Zstd.compress(data, LEVEL);
    }

    static byte[] decompress(byte[] packed) {
        long size = Zstd.getFrameContentSize(packed);
        if (size < 0 || size > MAX_UNPACKED_BYTES) {
            throw new Malformed("a compressed body");
        }
        try {
            return Zstd.decompress(packed, (int) size);
        } catch (ZstdException e) {
            throw new Malformed("a compressed body", e);
        }
    }
}
