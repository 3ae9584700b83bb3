package dev.muster.scheduler;

import dev.muster.domain.PoolId;
import dev.muster.platform.sql.Writer;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import java.util.Optional;

/**
 * The epoch of a pool and its lease. Safety is the epoch alone: whoever raised it last is the only
 * one whose appends succeed. The lease, by PostgreSQL's clock, only keeps a standby from taking a
 * pool that is well led.
 */
final class Leadership {

    private static final String HEAD =
            """
            SELECT epoch, seq, at_ms, positions::text AS positions, offsets::text AS offsets, holder,
              outage_from_ms
            FROM scheduler.pool_head WHERE pool = $1 FOR UPDATE\
            """;

    private static final String TAKE =
            """
            UPDATE scheduler.pool_head
            SET epoch = epoch + 1, holder = $2, outage_from_ms = greatest(beat_ms, at_ms),
              beat_ms = $3, lease_until = clock_timestamp() + $4::bigint * interval '1 millisecond'
            WHERE pool = $1
              AND (lease_until < clock_timestamp() OR holder = $2 AND ($5 OR epoch = $6))
            RETURNING epoch, seq, at_ms, positions::text AS positions, offsets::text AS offsets,
              holder, outage_from_ms\
            """;

    private final Writer writer;
    private final PoolId pool;
    private final String holder;
    private final long leaseMillis;

    /** The epoch that this process took last, −1 for none. */
    private long epoch = -1;

    Leadership(Writer writer, PoolId pool, String holder, long leaseMillis) {
        this.writer = writer;
        this.pool = pool;
        this.holder = holder;
        this.leaseMillis = leaseMillis;
    }

    /** Makes the pool's head if it has none. */
    Future<Void> declare() {
        return writer.execute(
                        """
                        INSERT INTO scheduler.pool_head
                          (pool, epoch, seq, at_ms, positions, offsets, holder, lease_until, beat_ms,
                           outage_from_ms)
                        VALUES ($1, 0, 0, 0, '{}', '{}', '', '-infinity', 0, 0)
                        ON CONFLICT (pool) DO NOTHING\
                        """,
                        Tuple.of(pool.value()))
                .mapEmpty();
    }

    /**
     * The head as it is once every statement that is still running on it has ended: a plain read
     * could see the row as it was before one whose answer was lost.
     */
    Future<PoolHead> settledHead() {
        return writer.execute(HEAD, Tuple.of(pool.value())).map(Leadership::one);
    }

    /**
     * Raises the epoch if nobody holds the pool: when the lease is over, or at once when the holder
     * is this process, or was a process with its id before it started. A process that another one
     * of the same id has overtaken waits like any other.
     *
     * @return the new head, empty while another one leads
     */
    Future<Optional<PoolHead>> take(long nowMillis) {
        Tuple parameters = Tuple.of(pool.value(), holder, nowMillis, leaseMillis, epoch < 0, epoch);
        return writer.execute(TAKE, parameters)
                .map(rows -> {
                    if (rows.size() == 0) {
                        return Optional.<PoolHead>empty();
                    }
                    PoolHead head = one(rows);
                    epoch = head.epoch();
                    return Optional.of(head);
                });
    }

    /**
     * @return false when another process has raised the epoch
     */
    Future<Boolean> renew(long nowMillis) {
        return writer.execute(
                        """
                        UPDATE scheduler.pool_head
                        SET beat_ms = $3, lease_until = clock_timestamp() + $4::bigint * interval '1 millisecond'
                        WHERE pool = $1 AND epoch = $2 RETURNING epoch\
                        """,
                        Tuple.of(pool.value(), epoch, nowMillis, leaseMillis))
                .map(rows -> rows.size() == 1);
    }

    /** Lets the next one take the pool at once. */
    Future<Void> release() {
        return writer.execute(
                        """
                        UPDATE scheduler.pool_head SET lease_until = clock_timestamp()
                        WHERE pool = $1 AND epoch = $2\
                        """,
                        Tuple.of(pool.value(), epoch))
                .mapEmpty();
    }

    /** The epoch that this process took last, −1 for none. */
    long epoch() {
        return epoch;
    }

    Journal.Lease lease(long nowMillis) {
        return new Journal.Lease(nowMillis, leaseMillis);
    }

    private static PoolHead one(RowSet<Row> rows) {
        Row row = rows.iterator().next();
        return new PoolHead(
                row.getLong("epoch"),
                row.getLong("seq"),
                row.getLong("at_ms"),
                LaneVector.read(row.getString("positions")),
                LaneVector.read(row.getString("offsets")),
                row.getString("holder"),
                row.getLong("outage_from_ms"));
    }
}
