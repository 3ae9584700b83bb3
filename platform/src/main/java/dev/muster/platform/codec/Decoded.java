package dev.muster.platform.codec;

/**
 * What a record held: a value of a known type, or the bytes of a type that this version does not
 * know. Consumers pass the unknown on; the core refuses to start on one.
 *
 * @param <T> {@code Event} or {@code Message}
 */
public sealed interface Decoded<T> {

    record Known<T>(T value) implements Decoded<T> {}

    /** Bytes are those of the record, not a copy. */
    record Unknown<T>(String type, byte[] data) implements Decoded<T> {}

    /**
     * @throws UnknownType if this version does not know the type
     */
    default T orThrow() {
        return switch (this) {
            case Known<T>(T value) -> value;
            case Unknown<T>(String type, byte[] _) -> throw new UnknownType(type);
        };
    }
}
