package dev.muster.platform.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Reads what {@link PackedOutput} wrote; runs out of bounds on bytes that it did not write. */
final class PackedInput {

    private final byte[] bytes;
    private final ByteBuffer view;
    private int at;

    PackedInput(byte[] bytes) {
        this.bytes = bytes;
        this.view = ByteBuffer.wrap(bytes);
    }

    int one() {
        return bytes[at++] & 0xFF;
    }

    long fixed() {
        long value = view.getLong(at);
        at += 8;
        return value;
    }

    long number() {
        byte first = bytes[at++];
        if (first >= 0) {
            return first;
        }
        long value = first & 0x7F;
        for (int shift = 7; shift < 64; shift += 7) {
            byte next = bytes[at++];
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new Malformed("a number of a snapshot");
    }

    int small() {
        return Math.toIntExact(number());
    }

    /** A number of things that follow, each at least a byte. */
    int count() {
        int count = small();
        if (count < 0 || count > bytes.length - at) {
            throw new Malformed("a number of things in a snapshot");
        }
        return count;
    }

    String text() {
        int length = count();
        String value = new String(bytes, at, length, StandardCharsets.UTF_8);
        at += length;
        return value;
    }

    int[] ints(int count) {
        int[] values = new int[count];
        view.position(at).asIntBuffer().get(values);
        at += 4 * count;
        return values;
    }

    long[] longs(int count) {
        long[] values = new long[count];
        view.position(at).asLongBuffer().get(values);
        at += 8 * count;
        return values;
    }
}
