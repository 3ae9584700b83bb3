package dev.muster.platform.sql;

import dev.muster.domain.PoolId;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Who runs where: each service beats once a second; one silent for 5 s is not found. */
public final class ServiceDirectory {

    private static final Logger LOG = LoggerFactory.getLogger(ServiceDirectory.class);
    private static final long BEAT_MILLIS = 1000;

    /**
     * A service.
     *
     * @param id stable, such as {@code gateway/local}
     * @param role gateway, scheduler, executor, …
     * @param pools that it serves; empty for all
     * @param url of its internal API
     */
    public record Entry(String id, String role, List<PoolId> pools, String url) {
        public Entry {
            pools = List.copyOf(pools);
        }
    }

    private final Vertx vertx;
    private final Database database;
    private final Map<String, Entry> ours = new ConcurrentHashMap<>();
    private volatile boolean silent;
    private final long timer;

    public ServiceDirectory(Vertx vertx, Database database) {
        this.vertx = vertx;
        this.database = database;
        this.timer = vertx.setPeriodic(BEAT_MILLIS, _ -> ours.values().forEach(this::beatQuietly));
    }

    /** Enters a service, or moves it, and beats for it from now on. */
    public Future<Void> register(Entry entry) {
        ours.put(entry.id(), entry);
        return beat(entry);
    }

    public Future<Void> withdraw(String id) {
        ours.remove(id);
        return database.query("DELETE FROM platform.service WHERE id = $1", Tuple.of(id))
                .mapEmpty();
    }

    /** The live services of a role, the freshest first. */
    public Future<List<Entry>> find(String role) {
        return database.query(
                        "SELECT id, role, pools, url FROM platform.pub_service WHERE role = $1 AND"
                                + " live ORDER BY beat_at DESC",
                        Tuple.of(role))
                .map(rows -> {
                    List<Entry> entries = new ArrayList<>();
                    rows.forEach(row -> entries.add(entry(row)));
                    return entries;
                });
    }

    /** Those that serve a pool. */
    public Future<List<Entry>> find(String role, PoolId pool) {
        return find(role)
                .map(all ->
                        all.stream()
                                .filter(e -> e.pools().isEmpty() || e.pools().contains(pool))
                                .toList());
    }

    /** Stops beating; entries of this process go stale by themselves. */
    public void close() {
        vertx.cancelTimer(timer);
        ours.clear();
    }

    private void beatQuietly(Entry entry) {
        beat(entry)
                .onSuccess(_ -> silent = false)
                .onFailure(cause -> {
                    if (!silent) {
                        silent = true;
                        LOG.warn("the service directory cannot be reached: {}", cause.getMessage());
                    }
                });
    }

    private Future<Void> beat(Entry entry) {
        String[] pools = entry.pools().stream().map(PoolId::value).toArray(String[]::new);
        return database.query(
                        """
                        INSERT INTO platform.service AS s (id, role, pools, url, beat_at)
                        VALUES ($1, $2, $3, $4, clock_timestamp())
                        ON CONFLICT (id) DO UPDATE SET
                          role = excluded.role, pools = excluded.pools, url = excluded.url,
                          beat_at = excluded.beat_at\
                        """,
                        Tuple.of(entry.id(), entry.role(), pools, entry.url()))
                .mapEmpty();
    }

    private static Entry entry(Row row) {
        List<PoolId> pools = new ArrayList<>();
        for (String name : row.getArrayOfStrings("pools")) {
            pools.add(new PoolId(name));
        }
        return new Entry(row.getString("id"), row.getString("role"), pools, row.getString("url"));
    }
}
