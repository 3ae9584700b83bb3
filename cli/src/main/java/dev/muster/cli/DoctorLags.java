package dev.muster.cli;

import dev.muster.platform.config.Settings;

import io.vertx.sqlclient.Row;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How far those who read are behind those who write. */
final class DoctorLags implements Doctor.Check {

    static final String LANES =
            """
            SELECT l.lane, l.epoch, l.n, COALESCE(max((h.positions->>l.lane)::bigint), 0) AS taken
            FROM gateway.pub_lane l LEFT JOIN scheduler.pub_pool_head h ON h.positions ? l.lane
            GROUP BY l.lane, l.epoch, l.n ORDER BY l.lane\
            """;

    private final OpenDirectory open;
    private final boolean running;
    private final int most;

    DoctorLags(OpenDirectory open, boolean running) {
        this.open = open;
        this.running = running;
        this.most = open.settings().get(DoctorSettings.LAG_RECORDS);
    }

    @Override
    public void examine(List<Finding> findings) {
        if (!running) {
            // what is behind stays so until Muster runs again: nothing is wrong with that
            findings.add(Finding.skipped("lags", "Muster does not run here"));
            return;
        }
        boolean gateway = open.has("gateway");
        boolean scheduler = open.has("scheduler");
        if (gateway && scheduler) {
            lanes(findings);
            views(findings);
        }
        if (scheduler) {
            published(findings);
        }
        if (open.has("notifier")) {
            if (scheduler) {
                feeds(findings);
            }
            findings.add(deliveries());
        }
    }

    private Finding lag(String check, long behind, String what, String advice) {
        return Finding.of(behind <= most, check, behind + " " + what, "at most " + most, advice);
    }

    private void lanes(List<Finding> findings) {
        for (Row row : open.rows(LANES)) {
            findings.add(
                    lag(
                            "lane." + row.getString("lane"),
                            row.getLong("n") - row.getLong("taken"),
                            "accepted, not journalled",
                            "see whether a scheduler leads the pool (muster admin epoch) and Kafka"
                                    + " answers"));
        }
    }

    private void views(List<Finding> findings) {
        String sql =
                """
                SELECT h.pool, h.seq - COALESCE(v.seq, 0) AS behind
                FROM scheduler.pub_pool_head h LEFT JOIN gateway.pub_view_position v USING (pool)
                ORDER BY h.pool\
                """;
        for (Row row : open.rows(sql)) {
            findings.add(
                    lag(
                            "views." + row.getString("pool"),
                            row.getLong("behind"),
                            "journalled, not in the views",
                            "see whether a gateway is ready; its log names what it cannot fold"));
        }
    }

    private void feeds(List<Finding> findings) {
        String sql =
                """
                SELECT p.pool, h.seq - p.seq AS behind
                FROM notifier.pub_position p JOIN scheduler.pub_pool_head h USING (pool)
                ORDER BY p.pool\
                """;
        for (Row row : open.rows(sql)) {
            findings.add(
                    lag(
                            "notifier." + row.getString("pool"),
                            row.getLong("behind"),
                            "journalled, not yet deliveries",
                            "see whether a notifier is ready; its log says what holds it up"));
        }
    }

    private Finding deliveries() {
        Settings settings = open.settings();
        int seconds = settings.get(DoctorSettings.DELIVERY_SECONDS);
        long oldest = 0;
        String sql =
                "SELECT COALESCE(max(extract(epoch FROM clock_timestamp()) * 1000 - born_ms), 0)"
                        + "::bigint AS age FROM notifier.pub_waiting";
        for (Row row : open.rows(sql)) {
            oldest = Math.max(0, row.getLong("age")) / 1000;
        }
        return Finding.of(
                oldest <= seconds,
                "deliveries.age",
                "the oldest waits for " + oldest + " s",
                "at most " + seconds + " s",
                "see what its receiver answers: muster deliveries list --state pending");
    }

    /** Only the leader's process knows what Kafka has confirmed. */
    private void published(List<Finding> findings) {
        Map<String, Long> published = new HashMap<>();
        List<String> pools = new ArrayList<>();
        Map<String, Long> heads = new HashMap<>();
        for (Row row : open.rows("SELECT pool, seq FROM scheduler.pub_pool_head ORDER BY pool")) {
            pools.add(row.getString("pool"));
            heads.put(row.getString("pool"), row.getLong("seq"));
        }
        try (ServiceProbe probe = new ServiceProbe(open)) {
            for (ServiceProbe.Entry each : probe.entries()) {
                Optional<String> metrics =
                        each.live() && each.role().equals("scheduler")
                                ? probe.metrics(each)
                                : Optional.empty();
                metrics.ifPresent(text -> pools.forEach(pool -> note(text, pool, published)));
            }
        }
        for (String pool : pools) {
            String check = "events." + pool;
            Long seq = published.get(pool);
            findings.add(
                    seq == null
                            ? Finding.skipped(check, "no scheduler tells how far it has published")
                            : lag(
                                    check,
                                    Math.max(0, heads.getOrDefault(pool, 0L) - seq),
                                    "journalled, not published",
                                    "see whether Kafka answers and has space"));
        }
    }

    private static void note(String metrics, String pool, Map<String, Long> published) {
        ServiceProbe.metric(metrics, "muster_scheduler_published_seq", "pool=\"" + pool + '"')
                .ifPresent(seq -> published.merge(pool, seq.longValue(), Math::max));
    }
}
