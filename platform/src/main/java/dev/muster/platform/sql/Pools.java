package dev.muster.platform.sql;

import dev.muster.domain.PoolId;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The pools and their stored partitions. A partition is given once and never computed from a name.
 */
public final class Pools {

    /** Exists always, at partition 0. */
    public static final PoolId PUBLIC = new PoolId("public");

    private final Database database;
    private final int partitions;
    private volatile Map<PoolId, Integer> known = Map.of();

    /**
     * @param partitions of each topic: the most pools there can be
     */
    public Pools(Database database, int partitions) {
        this.database = database;
        this.partitions = partitions;
    }

    /** Declares what is missing, then reads all of them. */
    public Future<Void> declare(List<String> names) {
        Future<Void> declared = Future.succeededFuture();
        for (String name : names) {
            PoolId pool = new PoolId(name);
            declared = declared.compose(_ -> declare(pool));
        }
        return declared.compose(_ -> refresh());
    }

    private Future<Void> declare(PoolId pool) {
        return database.query(
                        "SELECT platform.declare_pool($1, $2)", Tuple.of(pool.value(), partitions))
                .mapEmpty();
    }

    public Future<Void> refresh() {
        return database.query("SELECT name, partition FROM platform.pub_pool")
                .map(rows -> {
                    Map<PoolId, Integer> fresh = new TreeMap<>();
                    for (Row row : rows) {
                        fresh.put(new PoolId(row.getString("name")), row.getInteger("partition"));
                    }
                    known = Map.copyOf(fresh);
                    return null;
                });
    }

    /** As of the last refresh; empty for a pool that is not declared. */
    public Optional<Integer> partition(PoolId pool) {
        return Optional.ofNullable(known.get(pool));
    }

    /** As of the last refresh, in order of name. */
    public Map<PoolId, Integer> all() {
        return new TreeMap<>(known);
    }
}
