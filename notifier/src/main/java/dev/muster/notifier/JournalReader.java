package dev.muster.notifier;

import dev.muster.domain.Event;
import dev.muster.domain.PoolId;
import dev.muster.platform.codec.Codec;
import dev.muster.platform.codec.Decoded;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.journal.PackedRow;
import dev.muster.platform.journal.RolledJournal;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.List;

/** Reads events back from the scheduler's published journal. Unpacked on worker threads. */
final class JournalReader {

    private static final int PAGE_ROWS = 16;

    private final Vertx vertx;
    private final Database database;
    private final RolledJournal rolled;

    JournalReader(Vertx vertx, Database database) {
        this.vertx = vertx;
        this.database = database;
        this.rolled = new RolledJournal(database);
    }

    /**
     * The events behind a seq, in order and without a gap, some rows of them; empty at the end of
     * the journal. The first may lie further on if the journal no longer reaches back.
     */
    Future<List<EventRecord>> after(PoolId pool, long seq) {
        return database.query(
                        """
                        SELECT first_seq, last_seq, at_ms, body FROM scheduler.pub_journal
                        WHERE pool = $1 AND last_seq > $2 ORDER BY last_seq LIMIT $3\
                        """,
                        Tuple.of(pool.value(), seq, PAGE_ROWS))
                .compose(rows ->
                        rolled.completed(pool, seq, PackedRow.of(rows), PAGE_ROWS, PackedRow.FORM))
                .compose(rows ->
                        rows.isEmpty()
                                ? Future.succeededFuture(List.of())
                                : vertx.executeBlocking(() -> unpack(pool, seq, rows), false));
    }

    private static List<EventRecord> unpack(PoolId pool, long after, List<PackedRow> rows) {
        List<EventRecord> events = new ArrayList<>();
        for (PackedRow row : rows) {
            long seq = row.firstSeq();
            for (JournalBody.RawEvent each : JournalBody.rawEvents(row.body())) {
                if (seq > after) {
                    events.add(record(pool, seq, row.atMillis(), each));
                }
                seq++;
            }
        }
        return events;
    }

    private static EventRecord record(
            PoolId pool, long seq, long atMillis, JournalBody.RawEvent raw) {
        return switch (Codec.event(raw.type(), raw.data())) {
            case Decoded.Known<Event>(Event known) ->
                    EventRecord.of(pool, seq, atMillis, new EncodedEvent(known, raw.data()));
            // a newer version's: of whom it tells is not known here, so nobody gets it
            case Decoded.Unknown<Event> _ ->
                    new EventRecord(pool, seq, atMillis, raw.type(), "", "", "", raw.data());
        };
    }
}
