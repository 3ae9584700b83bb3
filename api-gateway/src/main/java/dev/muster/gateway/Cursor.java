package dev.muster.gateway;

import dev.muster.domain.PoolId;

import java.util.Map;
import java.util.TreeMap;

/**
 * Where a stream stands in each of its pools; written as {@code pool:seq,pool:seq}, which is the id
 * of each event on the stream. {@code 0} is the beginning of all of them.
 */
final class Cursor {

    static final String FORM = "0, or pool:seq,… as the id of an event has it";
    static final int MAX_POOLS = 64;

    private Cursor() {}

    /**
     * @throws IllegalArgumentException if the text is no cursor
     */
    static Map<PoolId, Long> parse(String text) {
        Map<PoolId, Long> positions = new TreeMap<>();
        String[] parts = text.split(",", MAX_POOLS + 1);
        if (parts.length > MAX_POOLS) {
            throw new IllegalArgumentException("a cursor names at most " + MAX_POOLS + " pools");
        }
        for (String part : parts) {
            int colon = part.lastIndexOf(':');
            long seq = colon < 1 ? -1 : Long.parseLong(part.substring(colon + 1));
            if (seq < 0 || positions.put(new PoolId(part.substring(0, colon)), seq) != null) {
                throw new IllegalArgumentException("no position of a pool: " + part);
            }
        }
        return positions;
    }

    static String write(Map<PoolId, Long> positions) {
        StringBuilder text = new StringBuilder();
        positions.forEach((pool, seq) -> {
            text.append(text.isEmpty() ? "" : ",");
            text.append(pool.value()).append(':').append(seq.longValue());
        });
        return text.toString();
    }
}
