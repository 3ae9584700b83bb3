package dev.muster.platform.codec;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of a pool's journal that follow on each other, as they lie outside PostgreSQL: zstd of a
 * format number, the number of rows, and each row's columns. Read for ever.
 */
public final class JournalPart {

    private static final int FORMAT = 1;
    private static final int MOST_ROWS = 1 << 20;
    private static final int MOST_BYTES = 256 << 20;

    /**
     * A row with all that its table holds of it.
     *
     * @param atMicros when PostgreSQL wrote it, by its clock
     * @param atMillis of its inputs, by the leader's clock
     * @param positions JSON, lane → n after the row
     * @param body as {@link JournalBody} reads it
     */
    @SuppressWarnings("ArrayRecordComponent") // carried, never compared
    public record Row(
            long firstSeq,
            long lastSeq,
            long atMicros,
            long atMillis,
            long epoch,
            int codeVersion,
            int policyVersion,
            String positions,
            byte[] body) {}

    private JournalPart() {}

    /** The same bytes for the same rows. */
    public static byte[] encode(List<Row> rows) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(FORMAT);
            out.writeInt(rows.size());
            for (Row row : rows) {
                out.writeLong(row.firstSeq());
                out.writeLong(row.lastSeq());
                out.writeLong(row.atMicros());
                out.writeLong(row.atMillis());
                out.writeLong(row.epoch());
                out.writeInt(row.codeVersion());
                out.writeInt(row.policyVersion());
                put(out, row.positions().getBytes(StandardCharsets.UTF_8));
                put(out, row.body());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes no bytes", e);
        }
        return Compression.compress(bytes.toByteArray());
    }

    private static void put(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /**
     * @throws Malformed if the bytes are no such part, or one of a later format
     */
    public static List<Row> decode(byte[] part) {
        byte[] bytes = Compression.decompress(part);
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int format = in.readInt();
            int count = in.readInt();
            if (format != FORMAT || count < 0 || count > MOST_ROWS) {
                throw new Malformed("a part of the journal");
            }
            List<Row> rows = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                rows.add(row(in));
            }
            if (in.read() >= 0) {
                throw new Malformed("a part of the journal");
            }
            return rows;
        } catch (IOException e) {
            throw new Malformed("a part of the journal", e);
        }
    }

    private static Row row(DataInputStream in) throws IOException {
        return new Row(
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readInt(),
                in.readInt(),
                new String(take(in), StandardCharsets.UTF_8),
                take(in));
    }

    private static byte[] take(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MOST_BYTES) {
            throw new Malformed("a part of the journal");
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length != length) {
            throw new Malformed("a part of the journal");
        }
        return bytes;
    }
}
