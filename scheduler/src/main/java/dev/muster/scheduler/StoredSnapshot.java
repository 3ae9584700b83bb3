package dev.muster.scheduler;

import java.util.Map;

/**
 * A snapshot as it is stored.
 *
 * @param stateHash that the state must have once it is loaded
 * @param body of {@code SnapshotCodec}
 */
public record StoredSnapshot(
        long seq, byte[] stateHash, Map<String, Long> positions, byte[] body, int codeVersion) {}
