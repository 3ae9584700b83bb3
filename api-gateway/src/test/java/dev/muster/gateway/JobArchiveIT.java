package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.gateway.GatewayFixture.Gateway;

import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobArchiveIT {

    private static final int ENDED = 12_000;
    private static final int KEPT = 500;

    private final GatewayFixture fixture = new GatewayFixture();
    private TestScheduler scheduler;
    private Gateway gateway;

    @BeforeAll
    void start() throws Exception {
        scheduler = fixture.scheduler();
        fixture.start("schema");
        fixture.stop("schema");
        try (Connection jdbc = fixture.database().open();
                Statement statement = jdbc.createStatement()) {
            statement.execute(
                    """
                    INSERT INTO gateway.job_view (job, submitted_at_ms, started_at_ms, ended_at_ms,
                        priority, instances, accelerators, pool, project, queue, name, state)
                    SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid,
                        i, i, CASE WHEN i % 100 = 7 THEN NULL ELSE %d - %d + i END, 5, 1, 1000,
                        'public', CASE WHEN i % 1000 = 1 THEN 'rare' ELSE 'common' END, 'default',
                        'job-' || i,
                        CASE WHEN i % 100 = 7 THEN 'QUEUED' WHEN i % 500 = 3 THEN 'FAILED'
                            ELSE 'SUCCEEDED' END
                    FROM generate_series(1, %d) AS i\
                    """
                            .replaceFirst("%d", Long.toString(System.currentTimeMillis()))
                            .replaceFirst("%d", Integer.toString(ENDED))
                            .replaceFirst("%d", Integer.toString(ENDED)));
        }
        gateway =
                fixture.start(
                        "one",
                        settings ->
                                settings.with(GatewaySettings.ARCHIVE_KEEP, KEPT)
                                        .with(GatewaySettings.ARCHIVE_EVERY_MILLIS, 50));
        await().atMost(Duration.ofSeconds(60))
                .until(() ->
                        fixture.query(
                                        "SELECT count(*) FROM gateway.job_view_live WHERE"
                                                + " ended_at_ms IS NOT NULL")
                                .equals(List.of(Integer.toString(KEPT))));
    }

    @AfterAll
    void stop() throws Exception {
        fixture.close();
        scheduler.close();
    }

    private List<String> names(String query) throws Exception {
        List<String> names = new ArrayList<>();
        String after = "";
        do {
            JsonObject page = fixture.get(gateway, "/api/v1/jobs?limit=500" + query + after).json();
            page.getJsonArray("items")
                    .forEach(each -> names.add(((JsonObject) each).getString("name")));
            String next = page.getString("next");
            after = next == null ? "" : "&after=" + next;
        } while (!after.isEmpty());
        return names;
    }

    @Test
    void keepsTheNewestEndedJobsAndAllThatLiveOutsideTheArchive() throws Exception {
        assertThat(fixture.query("SELECT count(*) FROM gateway.job_view_live WHERE state='QUEUED'"))
                .containsExactly("120");
        assertThat(fixture.query("SELECT count(*) FROM gateway.job_view_archive"))
                .containsExactly(Integer.toString(ENDED - 120 - KEPT));
        assertThat(fixture.query("SELECT count(*) FROM gateway.job_view"))
                .containsExactly(Integer.toString(ENDED));
    }

    @Test
    void listsArchivedJobsWithTheOthersInOneOrder() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int i = ENDED; i >= 1; i--) {
            expected.add("job-" + i);
        }
        assertThat(names("")).isEqualTo(expected);
    }

    @Test
    void findsArchivedJobsByEveryFilter() throws Exception {
        assertThat(names("&project=rare")).hasSize(12).startsWith("job-11001").endsWith("job-1");
        assertThat(names("&state=failed")).hasSize(24).startsWith("job-11503").endsWith("job-3");
        assertThat(names("&state=queued")).hasSize(120).endsWith("job-7");
        assertThat(names("&state=failed,queued")).hasSize(144).endsWith("job-7", "job-3");
        assertThat(names("&state=failed&project=rare")).isEmpty();
        assertThat(names("&pool=public&name=job-1199")).hasSize(11).endsWith("job-1199");
    }

    @Test
    void showsAnArchivedJob() throws Exception {
        JsonObject job =
                fixture.get(gateway, "/api/v1/jobs/01900000-0000-7000-8000-000000000001").json();

        assertThat(job.getString("name")).isEqualTo("job-1");
        assertThat(job.getString("state")).isEqualTo("SUCCEEDED");
    }
}
