package dev.muster.scheduler;

import dev.muster.domain.PoolId;
import dev.muster.platform.sql.Database;
import dev.muster.platform.sql.Writer;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** A pool's journal in PostgreSQL: the truth of all that is decided. */
final class Journal {

    /** Of the policy's settings; a policy that can be configured comes later. */
    static final int POLICY_VERSION = 1;

    private static final int PAGE_ROWS = 1000;
    private static final long PAGE_BYTES = 4L << 20;

    /** Fence and append: without a matching head the insert has nothing to insert. */
    private static final String APPEND =
            """
            WITH head AS (
              UPDATE scheduler.pool_head
              SET seq = $4, at_ms = $5, positions = $6::text::jsonb, offsets = $7::text::jsonb,
                beat_ms = $8, lease_until = clock_timestamp() + $9::bigint * interval '1 millisecond'
              WHERE pool = $1 AND epoch = $2 AND seq = $3
              RETURNING pool, epoch, seq, at_ms, positions)
            INSERT INTO scheduler.journal
              (pool, first_seq, last_seq, at, at_ms, epoch, code_version, policy_version,
               positions, body)
            SELECT pool, $3 + 1, seq, clock_timestamp(), at_ms, epoch, $10, $11, positions, $12
            FROM head
            RETURNING last_seq\
            """;

    private static final String PAGE =
            """
            SELECT first_seq, last_seq, at_ms, epoch, code_version, policy_version,
              positions::text AS positions, body
            FROM (
              SELECT *, row_number() OVER w AS place, sum(octet_length(body)) OVER w AS bytes
              FROM (
                SELECT * FROM scheduler.pub_journal
                WHERE pool = $1 AND last_seq > $2 ORDER BY last_seq LIMIT $3) AS page
              WINDOW w AS (ORDER BY last_seq)) AS measured
            WHERE place = 1 OR bytes <= $4
            ORDER BY last_seq\
            """;

    private final Database database;
    private final PoolId pool;

    Journal(Database database, PoolId pool) {
        this.database = database;
        this.pool = pool;
    }

    /**
     * @param writer the leader's own connection
     * @return whether the row is committed; false means that this epoch writes nothing any more.
     *     Fails with {@code StatementFailed}, after which the outcome may be unknown.
     */
    Future<Boolean> append(Writer writer, long epoch, Batch batch, Lease lease) {
        CommittedRow row = batch.row();
        Tuple parameters =
                Tuple.of(pool.value(), epoch, batch.previousSeq(), row.lastSeq(), row.atMillis())
                        .addString(batch.positions())
                        .addString(batch.offsets())
                        .addLong(lease.beatMillis())
                        .addLong(lease.leaseMillis())
                        .addInteger(JournalRow.CODE_VERSION)
                        .addInteger(POLICY_VERSION)
                        .addBuffer(Buffer.buffer(batch.body()));
        return writer.execute(APPEND, parameters).map(rows -> rows.size() == 1);
    }

    /**
     * What an append renews beside the row.
     *
     * @param beatMillis the leader's clock
     * @param leaseMillis for which the lease goes on, by PostgreSQL's clock
     */
    record Lease(long beatMillis, long leaseMillis) {}

    /** A bounded page of the rows after a seq, oldest first; empty at the end. */
    Future<List<JournalRow>> page(long afterSeq) {
        return database.query(PAGE, Tuple.of(pool.value(), afterSeq, PAGE_ROWS, PAGE_BYTES))
                .map(Journal::rows);
    }

    /** The same as those behind the journal take it. Blocks. */
    Queue<CommittedRow> committedAfter(long seq) throws InterruptedException {
        Queue<CommittedRow> rows = new ArrayDeque<>();
        for (JournalRow each : Awaited.get(page(seq))) {
            rows.add(each.committed());
        }
        return rows;
    }

    /** Makes the partitions of the coming weeks. */
    Future<Void> makePartitions(int weeksAhead) {
        return database.query("SELECT scheduler.make_journal_partitions($1)", Tuple.of(weeksAhead))
                .mapEmpty();
    }

    private static List<JournalRow> rows(RowSet<Row> found) {
        List<JournalRow> rows = new ArrayList<>(found.size());
        for (Row row : found) {
            rows.add(
                    new JournalRow(
                            row.getLong("first_seq"),
                            row.getLong("last_seq"),
                            row.getLong("at_ms"),
                            row.getLong("epoch"),
                            row.getInteger("code_version"),
                            row.getInteger("policy_version"),
                            LaneVector.read(row.getString("positions")),
                            row.getBuffer("body").getBytes()));
        }
        return rows;
    }
}
