package dev.muster.platform.codec;

import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;

import dev.muster.domain.PoolSnapshot;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A pool's snapshot as zstd of JSON; written and read as a stream, so a million jobs need no tree.
 */
public final class SnapshotCodec {

    private static final ObjectWriter WRITER = Json.json().writerFor(PoolSnapshot.class);
    private static final ObjectReader READER = Json.json().readerFor(PoolSnapshot.class);

    private SnapshotCodec() {}

    public static byte[] encode(PoolSnapshot snapshot) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 16);
        try {
            write(snapshot, bytes);
        } catch (IOException e) {
            throw new IllegalStateException("cannot encode a snapshot", e);
        }
        return bytes.toByteArray();
    }

    /**
     * @throws Malformed if the bytes are not a snapshot
     */
    public static PoolSnapshot decode(byte[] data) {
        try {
            return read(new ByteArrayInputStream(data));
        } catch (IOException e) {
            throw new Malformed("a snapshot", e);
        }
    }

    /** Closes the stream. */
    public static void write(PoolSnapshot snapshot, OutputStream target) throws IOException {
        try (ZstdOutputStream packed = new ZstdOutputStream(target, 3)) {
            WRITER.writeValue(packed, snapshot);
        }
    }

    /** Closes the stream. */
    public static PoolSnapshot read(InputStream source) throws IOException {
        try (ZstdInputStream unpacked = new ZstdInputStream(source)) {
            return READER.readValue(unpacked);
        }
    }
}
