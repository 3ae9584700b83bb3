package dev.muster.cli;

import io.vertx.sqlclient.Row;

import java.util.List;

/** PostgreSQL's clock against this machine's and the leaders'. */
final class DoctorClocks implements Doctor.Check {

    private final OpenDirectory open;
    private final boolean running;
    private final int most;

    DoctorClocks(OpenDirectory open, boolean running) {
        this.open = open;
        this.running = running;
        this.most = open.settings().get(DoctorSettings.SKEW_MILLIS);
    }

    @Override
    public void examine(List<Finding> findings) {
        findings.add(host());
        if (running && open.has("scheduler")) {
            leaders(findings);
        }
    }

    private Finding host() {
        long before = System.currentTimeMillis();
        long server = 0;
        for (Row row :
                open.rows("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now")) {
            server = row.getLong("now");
        }
        long after = System.currentTimeMillis();
        long skew = Math.max(0, Math.max(before - server, server - after));
        return Finding.of(
                skew <= most,
                "clock.postgres",
                skew + " ms from this machine's clock",
                "at most " + most + " ms",
                "let both machines follow an NTP server: deadlines and ages come from these"
                        + " clocks");
    }

    /** A leader says its time with each row and beat, which PostgreSQL dates by its own clock. */
    private void leaders(List<Finding> findings) {
        String sql =
                """
                SELECT pool, holder, greatest(0,
                    at_ms - (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS ahead
                FROM scheduler.pub_pool_head WHERE lease_until > clock_timestamp() ORDER BY pool\
                """;
        for (Row row : open.rows(sql)) {
            findings.add(
                    Finding.of(
                            row.getLong("ahead") <= most,
                            "clock.leader." + row.getString("pool"),
                            "the journal's time is "
                                    + row.getLong("ahead")
                                    + " ms ahead of PostgreSQL's",
                            "at most " + most + " ms",
                            "let the machine of "
                                    + row.getString("holder")
                                    + " follow an NTP server; the pool's time stands still until"
                                    + " the others reach it"));
        }
    }
}
