package dev.muster.notifier;

import dev.muster.domain.PoolId;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.ServiceContext;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Lets go of what nobody asks for any more, some rows at a time, and counts what waits. Several
 * notifiers may do it side by side.
 */
final class Cleanup {

    private static final Logger LOG = LoggerFactory.getLogger(Cleanup.class);
    private static final long EVERY_MILLIS = 60_000;
    private static final long COUNT_MILLIS = 5_000;
    private static final int ROWS = 5_000;

    private static final String ARRIVED =
            """
            DELETE FROM notifier.delivery WHERE (mailbox, seq) IN (
                SELECT d.mailbox, d.seq FROM notifier.mailbox b, LATERAL (
                    SELECT mailbox, seq, ended_ms FROM notifier.delivery
                    WHERE mailbox = b.id AND seq <= b.low_seq AND state = 1
                    ORDER BY seq LIMIT 1000) d
                WHERE d.ended_ms < $1 LIMIT $2)\
            """;

    private static final String DEAD =
            """
            WITH old AS (
                SELECT d.mailbox, d.seq FROM notifier.dead_letter l
                JOIN notifier.delivery d ON d.mailbox = l.mailbox AND d.seq = l.seq
                WHERE d.ended_ms < $1 LIMIT $2
            ), buried AS (
                DELETE FROM notifier.dead_letter l USING old
                WHERE l.mailbox = old.mailbox AND l.seq = old.seq
            )
            DELETE FROM notifier.delivery d USING old
            WHERE d.mailbox = old.mailbox AND d.seq = old.seq\
            """;

    private static final String ORPHANS =
            """
            WITH gone AS (
                SELECT b.id FROM notifier.mailbox b
                WHERE NOT EXISTS (
                    SELECT FROM gateway.pub_subscription s
                    WHERE s.id = b.subscription AND NOT s.deleted)
            ), rows AS (
                SELECT d.mailbox, d.seq FROM gone, LATERAL (
                    SELECT mailbox, seq FROM notifier.delivery WHERE mailbox = gone.id
                    ORDER BY seq LIMIT $1) d
                LIMIT $1
            ), letters AS (
                DELETE FROM notifier.dead_letter l USING rows
                WHERE l.mailbox = rows.mailbox AND l.seq = rows.seq
            ), boxes AS (
                DELETE FROM notifier.mailbox b USING gone
                WHERE b.id = gone.id
                    AND NOT EXISTS (SELECT FROM notifier.delivery d WHERE d.mailbox = b.id)
            )
            DELETE FROM notifier.delivery d USING rows
            WHERE d.mailbox = rows.mailbox AND d.seq = rows.seq\
            """;

    private static final String MESSAGES =
            """
            WITH page AS (
                SELECT pool, seq, job, at_ms FROM notifier.message
                WHERE pool = $1 AND seq > $2 ORDER BY seq LIMIT $4
            ), unused AS (
                DELETE FROM notifier.message m USING page
                WHERE m.pool = page.pool AND m.seq = page.seq AND page.at_ms < $3
                    AND NOT EXISTS (
                        SELECT FROM notifier.delivery d
                        WHERE d.job = page.job AND d.seq = page.seq)
            )
            SELECT count(*) AS rows, max(seq) AS last, max(at_ms) AS at_ms FROM page\
            """;

    private static final String WAITING =
            """
            SELECT count(*) AS rows, min(d.born_ms) AS oldest
            FROM notifier.mailbox b, LATERAL (
                SELECT born_ms FROM notifier.delivery
                WHERE mailbox = b.id AND seq > b.low_seq AND state = 0 LIMIT 100000) d
            WHERE b.last_seq > b.low_seq\
            """;

    private final ServiceContext service;
    private final Database database;
    private final Clock clock;
    private final Meters meters;
    private final long keepMillis;
    private final long keepDeadMillis;
    private final long timer;
    private final long counter;
    private boolean busy;
    private boolean counting;

    Cleanup(ServiceContext service, Meters meters) {
        this.service = service;
        this.database = service.database();
        this.clock = service.clock();
        this.meters = meters;
        Settings settings = service.settings();
        this.keepMillis = TimeUnit.MINUTES.toMillis(settings.get(NotifierSettings.KEEP_MINUTES));
        this.keepDeadMillis =
                TimeUnit.HOURS.toMillis(settings.get(NotifierSettings.KEEP_DEAD_HOURS));
        this.timer = service.vertx().setPeriodic(EVERY_MILLIS, _ -> tidy());
        this.counter = service.vertx().setPeriodic(COUNT_MILLIS, _ -> count());
    }

    private void tidy() {
        if (busy) {
            return;
        }
        busy = true;
        long now = clock.millis();
        Iterator<PoolId> pools = List.copyOf(service.pools().all().keySet()).iterator();
        again(ARRIVED, Tuple.of(now - keepMillis, ROWS))
                .compose(_ -> again(DEAD, Tuple.of(now - keepDeadMillis, ROWS)))
                .compose(_ -> again(ORPHANS, Tuple.of(ROWS)))
                .compose(_ -> messages(pools, now - keepMillis))
                .onComplete(done -> {
                    busy = false;
                    if (done.failed()) {
                        LOG.debug("not everything was tidied: {}", done.cause().getMessage());
                    }
                });
    }

    /** Until nothing goes any more: of one mailbox fewer go at a time than of all together. */
    private Future<Void> again(String sql, Tuple tuple) {
        return database.query(sql, tuple)
                .compose(gone ->
                        gone.rowCount() == 0 ? Future.succeededFuture() : again(sql, tuple));
    }

    private Future<Void> messages(Iterator<PoolId> pools, long beforeMillis) {
        return pools.hasNext()
                ? messages(pools.next(), 0, beforeMillis)
                        .compose(_ -> messages(pools, beforeMillis))
                : Future.succeededFuture();
    }

    private Future<Void> messages(PoolId pool, long after, long beforeMillis) {
        return database.query(MESSAGES, Tuple.of(pool.value(), after, beforeMillis, ROWS))
                .compose(rows -> {
                    for (Row row : rows) {
                        if (row.getLong("rows") == ROWS && row.getLong("at_ms") < beforeMillis) {
                            return messages(pool, row.getLong("last"), beforeMillis);
                        }
                    }
                    return Future.succeededFuture();
                });
    }

    private void count() {
        if (counting) {
            return;
        }
        counting = true;
        database.query(WAITING)
                .onComplete(done -> {
                    counting = false;
                    if (done.failed()) {
                        LOG.debug("what waits is not counted: {}", done.cause().getMessage());
                        return;
                    }
                    for (Row row : done.result()) {
                        Long oldest = row.getLong("oldest");
                        long age = oldest == null ? 0 : Math.max(0, clock.millis() - oldest);
                        meters.queue(row.getLong("rows"), age);
                    }
                });
    }

    void stop() {
        service.vertx().cancelTimer(timer);
        service.vertx().cancelTimer(counter);
    }
}
