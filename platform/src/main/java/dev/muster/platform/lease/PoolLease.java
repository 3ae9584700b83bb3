package dev.muster.platform.lease;

import dev.muster.domain.PoolId;
import dev.muster.platform.sql.Database;
import dev.muster.platform.sql.Writer;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import java.util.Optional;

/**
 * A lease of a pool and its epoch. Safety is the epoch, which names the holder's lane and stands in
 * its reports: those of an older one are ignored. The lease, by PostgreSQL's clock, keeps two
 * services from acting at once.
 *
 * <p>It lies in a table of the service that has it: {@code (pool, shard, holder, epoch,
 * lease_until)}, keyed by pool and shard.
 */
public final class PoolLease implements Lease {

    /** One shard a pool; more come with pools that one executor cannot hold. */
    private static final int SHARD = 0;

    private final Writer writer;
    private final String table;
    private final String pool;
    private final String holder;
    private final long leaseMillis;

    /** The epoch that this process took last, −1 for none. */
    private long epoch = -1;

    /**
     * @param table with its schema; a constant of the calling service
     * @param holder id that a restart of the same service has again
     */
    public PoolLease(
            Database database, String table, PoolId pool, String holder, long leaseMillis) {
        this.writer = database.writer("lease " + table);
        this.table = table;
        this.pool = pool.value();
        this.holder = holder;
        this.leaseMillis = leaseMillis;
    }

    /** Makes the shard if the pool has none. */
    @Override
    public Future<Void> declare() {
        return writer.execute(
                        """
                        INSERT INTO %s (pool, shard, holder, epoch, lease_until)
                        VALUES ($1, $2, '', 0, '-infinity')
                        ON CONFLICT (pool, shard) DO NOTHING\
                        """
                                .formatted(table),
                        Tuple.of(pool, SHARD))
                .mapEmpty();
    }

    /**
     * Raises the epoch if nobody holds the shard: when the lease is over, or at once when the
     * holder is this process, or was a process with its id before it started. A process that
     * another one of the same id has overtaken waits like any other.
     *
     * @return the new epoch, empty while another one holds the shard
     */
    @Override
    public Future<Optional<Long>> take() {
        Tuple parameters = Tuple.of(pool, SHARD, holder, leaseMillis, epoch < 0, epoch);
        return writer.execute(
                        """
                        UPDATE %s
                        SET epoch = epoch + 1, holder = $3,
                          lease_until = clock_timestamp() + $4::bigint * interval '1 millisecond'
                        WHERE pool = $1 AND shard = $2
                          AND (lease_until < clock_timestamp() OR holder = $3 AND ($5 OR epoch = $6))
                        RETURNING epoch\
                        """
                                .formatted(table),
                        parameters)
                .map(rows -> {
                    for (Row row : rows) {
                        epoch = row.getLong("epoch");
                        return Optional.of(epoch);
                    }
                    return Optional.<Long>empty();
                });
    }

    /**
     * @return false when another process has raised the epoch
     */
    @Override
    public Future<Boolean> renew() {
        return writer.execute(
                        """
                        UPDATE %s
                        SET lease_until = clock_timestamp() + $3::bigint * interval '1 millisecond'
                        WHERE pool = $1 AND shard = $2 AND epoch = $4 RETURNING epoch\
                        """
                                .formatted(table),
                        Tuple.of(pool, SHARD, leaseMillis, epoch))
                .map(rows -> rows.size() == 1);
    }

    /** Lets the next one take the shard at once. */
    @Override
    public Future<Void> release() {
        return writer.execute(
                        """
                        UPDATE %s SET lease_until = clock_timestamp()
                        WHERE pool = $1 AND shard = $2 AND epoch = $3\
                        """
                                .formatted(table),
                        Tuple.of(pool, SHARD, epoch))
                .mapEmpty();
    }

    @Override
    public Future<Void> close() {
        return writer.close();
    }
}
