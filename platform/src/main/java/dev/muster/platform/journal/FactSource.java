package dev.muster.platform.journal;

import dev.muster.domain.PoolSnapshot;

import io.vertx.core.Future;

import java.util.List;
import java.util.Optional;

/** The durable side of a pool's facts. */
public interface FactSource {

    /**
     * A row of the journal.
     *
     * @param body as {@code JournalBody} reads it
     */
    @SuppressWarnings("ArrayRecordComponent") // read once, never compared
    record JournalRow(long firstSeq, long lastSeq, byte[] body) {}

    /** The newest snapshot that this version can read; empty means: fold from the first row. */
    Future<Optional<PoolSnapshot>> snapshot();

    /** Rows after a seq in order; the first may begin before it. Empty at the end. */
    Future<List<JournalRow>> rowsAfter(long seq, int atMost);

    /** Seq of the last event, 0 before the first. */
    Future<Long> headSeq();
}
