package dev.muster.gateway;

import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.UUID;

/**
 * Moves jobs that ended long ago, and those beyond the number that is kept, from the partition of
 * the views that changes into the one that does not. They stay in every answer.
 */
final class JobArchive {

    private static final Logger LOG = LoggerFactory.getLogger(JobArchive.class);
    private static final int ROWS = 5_000;
    private static final UUID FIRST = new UUID(0, 0);

    /** The end before which jobs are moved: by age, or the newest ones are more than are kept. */
    private static final String EDGE =
            """
            SELECT greatest($1, COALESCE((
                SELECT ended_at_ms FROM gateway.job_view_live WHERE ended_at_ms IS NOT NULL
                ORDER BY ended_at_ms DESC OFFSET $2 LIMIT 1), 0)) AS edge\
            """;

    /** In order of id, from where the last batch ended; by one gateway at a time. */
    private static final String MOVE =
            """
            WITH turn AS MATERIALIZED (
                SELECT pg_try_advisory_xact_lock(hashtext('gateway.job_archive')) AS ours
            ), old AS MATERIALIZED (
                SELECT l.job FROM gateway.job_view_live l
                WHERE l.job > $1 AND l.ended_at_ms <= $2 AND (SELECT ours FROM turn)
                ORDER BY l.job LIMIT $3
            ), moved AS (
                UPDATE gateway.job_view v SET archived = true
                FROM old WHERE v.job = old.job AND NOT v.archived
                RETURNING v.job)
            SELECT count(*) AS moved, (SELECT job FROM old ORDER BY job DESC LIMIT 1) AS last
            FROM moved\
            """;

    private final ServiceContext service;
    private final long timer;
    private boolean busy;

    JobArchive(ServiceContext service) {
        this.service = service;
        int millis = service.settings().get(GatewaySettings.ARCHIVE_EVERY_MILLIS);
        this.timer = service.vertx().setPeriodic(millis, _ -> tick());
    }

    private void tick() {
        if (busy) {
            return;
        }
        busy = true;
        edge().compose(edge -> move(FIRST, edge, 0))
                .onComplete(done -> {
                    busy = false;
                    if (done.failed()) {
                        LOG.debug("no job was archived: {}", done.cause().getMessage());
                    } else if (done.result() > 0) {
                        LOG.info("{} ended jobs were archived", done.result());
                    }
                });
    }

    private Future<Long> edge() {
        long minutes = service.settings().get(GatewaySettings.ARCHIVE_AFTER_MINUTES);
        int keep = service.settings().get(GatewaySettings.ARCHIVE_KEEP);
        long aged = service.clock().millis() - minutes * 60_000;
        return service.database()
                .query(EDGE, Tuple.of(aged, (long) keep))
                .map(rows -> {
                    for (Row row : rows) {
                        return row.getLong("edge");
                    }
                    return aged;
                });
    }

    private Future<Long> move(UUID after, long edge, long before) {
        return service.database()
                .query(MOVE, Tuple.of(after, edge, ROWS))
                .compose(rows -> {
                    Row row = rows.iterator().next();
                    UUID last = row.getUUID("last");
                    long moved = before + row.getLong("moved");
                    return last == null ? Future.succeededFuture(moved) : move(last, edge, moved);
                });
    }

    void stop() {
        service.vertx().cancelTimer(timer);
    }
}
