package dev.muster.scheduler;

import dev.muster.domain.PoolId;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import java.util.OptionalLong;

/** Shuts a pool's leader out by hand, for when it hangs and its lease still goes on. */
public final class PoolFence {

    private PoolFence() {}

    /**
     * Raises the pool's epoch and ends its lease: the leader's next row is refused, and whoever
     * asks first leads from then on, the same process included. Until then nobody holds it.
     *
     * @return the epoch in force, empty if there is no such pool
     */
    public static Future<OptionalLong> raise(Database database, PoolId pool) {
        return database.query(
                        """
                        UPDATE scheduler.pool_head
                        SET epoch = epoch + 1, lease_until = clock_timestamp(), holder = ''
                        WHERE pool = $1 RETURNING epoch\
                        """,
                        Tuple.of(pool.value()))
                .map(rows -> {
                    for (Row row : rows) {
                        return OptionalLong.of(row.getLong("epoch"));
                    }
                    return OptionalLong.empty();
                });
    }
}
