package dev.muster.scheduler;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * A snapshot as it is stored.
 *
 * @param stateHash that the state must have once it is loaded
 * @param body of {@code SnapshotCodec}; null where it lies in parts
 */
public record StoredSnapshot(
        long seq,
        byte[] stateHash,
        Map<String, Long> positions,
        int codeVersion,
        byte @Nullable [] body) {

    /** The bytes of one that is not in parts. */
    public byte[] whole() {
        return requireNonNull(body);
    }
}
