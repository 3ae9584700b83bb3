package dev.muster.scheduler;

import dev.muster.platform.codec.EncodedEvent;

import java.util.List;
import java.util.Map;

/**
 * A journal row that is known to be committed, as those behind the journal take it.
 *
 * @param positions lane → n after this row
 * @param events of the seqs {@code firstSeq} to {@code lastSeq}
 */
public record CommittedRow(
        long firstSeq,
        long lastSeq,
        long atMillis,
        Map<String, Long> positions,
        List<EncodedEvent> events) {

    public CommittedRow {
        if (events.size() != lastSeq - firstSeq + 1) {
            throw new IllegalStateException(
                    "row " + firstSeq + ".." + lastSeq + " has " + events.size() + " events");
        }
    }

    long bytes() {
        long bytes = 0;
        for (EncodedEvent each : events) {
            bytes += each.data().length;
        }
        return bytes;
    }
}
