package dev.muster.domain;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Writes values in the one binary form that hashes are taken over: big-endian numbers, texts as
 * UTF-8 with their length before them, lists with their size before them. Nothing reads it.
 */
public final class Canonical {

    private byte[] bytes = new byte[256];
    private int size;

    public Canonical byteOf(int value) {
        room(1);
        bytes[size++] = (byte) value;
        return this;
    }

    public Canonical bool(boolean value) {
        return byteOf(value ? 1 : 0);
    }

    public Canonical int32(int value) {
        room(4);
        for (int shift = 24; shift >= 0; shift -= 8) {
            bytes[size++] = (byte) (value >>> shift);
        }
        return this;
    }

    public Canonical int64(long value) {
        return int32((int) (value >>> 32)).int32((int) value);
    }

    public Canonical text(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        int32(utf8.length);
        room(utf8.length);
        System.arraycopy(utf8, 0, bytes, size, utf8.length);
        size += utf8.length;
        return this;
    }

    /** The constant's name: its place in the enum may change, its name is on the wire. */
    public Canonical name(Enum<?> value) {
        return text(value.name());
    }

    public <T> Canonical list(List<T> values, BiConsumer<Canonical, T> each) {
        int32(values.size());
        for (T value : values) {
            each.accept(this, value);
        }
        return this;
    }

    int size() {
        return size;
    }

    /** Gives what was written so far to a digest and begins anew. */
    void drainTo(MessageDigest digest) {
        digest.update(bytes, 0, size);
        size = 0;
    }

    public byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    public byte[] sha256() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(bytes, 0, size);
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private void room(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(size + more, bytes.length * 2));
        }
    }
}
