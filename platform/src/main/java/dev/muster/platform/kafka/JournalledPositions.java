package dev.muster.platform.kafka;

import dev.muster.domain.LaneId;
import dev.muster.domain.PoolId;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

/** How far a pool's journal has taken a lane in: what is at or before it is delivered. */
@FunctionalInterface
public interface JournalledPositions {

    /** 0 while nothing of the lane is journalled. */
    Future<Long> of(PoolId pool, LaneId lane);

    /** From the scheduler's published heads. */
    static JournalledPositions in(Database database) {
        return (pool, lane) ->
                database.query(
                                "SELECT (positions->>$2)::bigint AS n FROM scheduler.pub_pool_head"
                                        + " WHERE pool = $1",
                                Tuple.of(pool.value(), lane.value()))
                        .map(rows -> {
                            long n = 0;
                            for (Row row : rows) {
                                Long found = row.getLong("n");
                                n = found == null ? 0 : found;
                            }
                            return n;
                        });
    }
}
