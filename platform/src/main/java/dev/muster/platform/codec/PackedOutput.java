package dev.muster.platform.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Numbers and texts in as few bytes as is quick. */
final class PackedOutput {

    private byte[] bytes = new byte[1 << 12];
    private int size;

    int size() {
        return size;
    }

    byte[] bytes() {
        return bytes;
    }

    void clear() {
        size = 0;
    }

    void one(int value) {
        room(1);
        bytes[size++] = (byte) value;
    }

    void fixed(long value) {
        room(8);
        for (int shift = 56; shift >= 0; shift -= 8) {
            bytes[size++] = (byte) (value >>> shift);
        }
    }

    /** Seven bits a byte, the lowest first: small ones are short, negative ones have ten bytes. */
    void number(long value) {
        room(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    void text(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        number(utf8.length);
        room(utf8.length);
        System.arraycopy(utf8, 0, bytes, size, utf8.length);
        size += utf8.length;
    }

    void ints(int[] values, int count) {
        room(4 * count);
        ByteBuffer.wrap(bytes, size, 4 * count).asIntBuffer().put(values, 0, count);
        size += 4 * count;
    }

    void longs(long[] values, int count) {
        room(8 * count);
        ByteBuffer.wrap(bytes, size, 8 * count).asLongBuffer().put(values, 0, count);
        size += 8 * count;
    }

    /** Puts another one's content behind this one's and empties it. */
    void drain(PackedOutput other) {
        room(other.size);
        System.arraycopy(other.bytes, 0, bytes, size, other.size);
        size += other.size;
        other.size = 0;
    }

    private void room(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(size + more, bytes.length * 2));
        }
    }
}
