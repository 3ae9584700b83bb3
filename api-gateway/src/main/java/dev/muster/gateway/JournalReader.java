package dev.muster.gateway;

import dev.muster.domain.PoolId;
import dev.muster.domain.PoolSnapshot;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.codec.SnapshotCodec;
import dev.muster.platform.journal.PackedRow;
import dev.muster.platform.journal.RolledJournal;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads events back from the scheduler's published journal. Rows are unpacked on worker threads.
 */
final class JournalReader {

    private static final int PAGE_ROWS = 16;

    /** A job's run of events covers so many seqs: see {@code job_view.runs}. */
    static final int RUN_SEQS = 64;

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
    Future<List<StreamEvent>> after(PoolId pool, long seq) {
        return database.query(
                        """
                        SELECT first_seq, last_seq, at_ms, body FROM scheduler.pub_journal
                        WHERE pool = $1 AND last_seq > $2 ORDER BY last_seq LIMIT $3\
                        """,
                        Tuple.of(pool.value(), seq, PAGE_ROWS))
                .compose(rows ->
                        rolled.completed(pool, seq, PackedRow.of(rows), PAGE_ROWS, PackedRow.FORM))
                .compose(rows -> unpacked(pool, rows))
                .map(events -> events.stream().filter(e -> e.seq() > seq).toList());
    }

    /** The events of some runs, in order. */
    Future<List<StreamEvent>> runs(PoolId pool, List<Long> runs) {
        return database.query(
                        """
                        SELECT DISTINCT ON (j.last_seq) j.first_seq, j.last_seq, j.at_ms, j.body
                        FROM unnest($2::bigint[]) AS r(seq), LATERAL (
                            SELECT first_seq, last_seq, at_ms, body FROM scheduler.pub_journal
                            WHERE pool = $1 AND last_seq >= r.seq ORDER BY last_seq LIMIT $3) j
                        WHERE j.first_seq < r.seq + $3
                        ORDER BY j.last_seq\
                        """,
                        Tuple.of(pool.value(), runs.toArray(Long[]::new), RUN_SEQS))
                .map(PackedRow::of)
                .compose(live ->
                        rolled.runs(pool, runs, RUN_SEQS, PackedRow.FORM::of)
                                .map(old -> PackedRow.inOrder(old, live)))
                .compose(rows -> unpacked(pool, rows));
    }

    private Future<List<StreamEvent>> unpacked(PoolId pool, List<PackedRow> rows) {
        if (rows.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        return vertx.executeBlocking(() -> unpack(pool, rows), false);
    }

    private static List<StreamEvent> unpack(PoolId pool, List<PackedRow> rows) {
        List<StreamEvent> events = new ArrayList<>();
        for (PackedRow row : rows) {
            long seq = row.firstSeq();
            for (JournalBody.RawEvent each : JournalBody.rawEvents(row.body())) {
                events.add(StreamEvent.of(pool, seq++, row.atMillis(), each.type(), each.data()));
            }
        }
        return events;
    }

    /** The latest snapshot behind a seq, if there is one. */
    Future<Optional<PoolSnapshot>> snapshot(PoolId pool, long seq) {
        return database.query(
                        """
                        SELECT body FROM scheduler.pub_snapshot
                        WHERE pool = $1 AND seq > $2 ORDER BY seq DESC LIMIT 1\
                        """,
                        Tuple.of(pool.value(), seq))
                .compose(rows -> vertx.executeBlocking(() -> snapshot(rows), false));
    }

    private static Optional<PoolSnapshot> snapshot(RowSet<Row> rows) {
        for (Row row : rows) {
            return Optional.of(SnapshotCodec.decode(row.getBuffer("body").getBytes()));
        }
        return Optional.empty();
    }

    /** Seq of the last event in the journal, 0 for none. */
    Future<Long> head(PoolId pool) {
        return database.query(
                        "SELECT seq FROM scheduler.pub_pool_head WHERE pool = $1",
                        Tuple.of(pool.value()))
                .map(rows -> {
                    long seq = 0;
                    for (Row row : rows) {
                        seq = row.getLong("seq");
                    }
                    return seq;
                });
    }
}
