package dev.muster.gateway;

import dev.muster.platform.run.ServiceContext;

import io.vertx.sqlclient.Tuple;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets go of what nobody asks for any more: keys past their time, commands long delivered; and puts
 * jobs away that ended long ago.
 */
final class Housekeeping {

    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    private static final long EVERY_MILLIS = 60_000;
    private static final int ROWS = 10_000;
    private static final int INTENT_DAYS = 7;

    private final ServiceContext service;
    private final long timer;
    private final JobArchive archive;

    Housekeeping(ServiceContext service) {
        this.service = service;
        this.timer = service.vertx().setPeriodic(EVERY_MILLIS, _ -> tidy());
        this.archive = new JobArchive(service);
    }

    private void tidy() {
        int hours = service.settings().get(GatewaySettings.KEY_HOURS);
        service.database()
                .query(
                        """
                        DELETE FROM gateway.idempotency WHERE (project, key) IN (
                            SELECT project, key FROM gateway.idempotency
                            WHERE at < now() - $1 * interval '1 hour' ORDER BY at LIMIT $2)\
                        """,
                        Tuple.of(hours, ROWS))
                .compose(_ ->
                        service.database()
                                .query(
                                        """
                                        DELETE FROM gateway.intent i
                                        USING gateway.lane_head h, scheduler.pub_pool_head p
                                        WHERE i.at < now() - $1 * interval '1 day'
                                            AND h.id = i.lane
                                            AND i.n <= (p.positions->>h.lane)::bigint\
                                        """,
                                        Tuple.of(INTENT_DAYS)))
                .onFailure(cause -> LOG.debug("nothing was tidied: {}", cause.getMessage()));
    }

    void stop() {
        service.vertx().cancelTimer(timer);
        archive.stop();
    }
}
