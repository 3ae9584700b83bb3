package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.ServiceRunner;
import dev.muster.testkit.OlderKafka;
import dev.muster.testkit.TestDatabase;
import dev.muster.testkit.TestKafka;

import io.vertx.sqlclient.Row;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One of the two servers comes back as it was earlier. */
class RestoredServersIT {

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Servers servers = new Servers();
    private final Settings settings = servers.settings();
    private final List<JobId> jobs = new ArrayList<>();
    private ServiceRunner around;
    private Workload workload;

    @BeforeEach
    void prepare() {
        around = ServiceRunner.prepare(settings);
        workload = new Workload(around, 4);
    }

    @AfterEach
    void close() {
        workload.close();
        around.close();
        servers.close();
    }

    @Test
    void goesOnWhenKafkaIsOlderThanPostgres() throws Exception {
        OlderKafka older;
        try (ServiceRunner first = ServiceRunner.prepare(settings)) {
            first.start(new SchedulerService());
            submitAndAwaitEnd(10);
            older =
                    OlderKafka.of(
                            around.context().kafka().client(),
                            around.context().kafka().topics().all());
            submitAndAwaitEnd(10);
        }
        older.restore();
        around.start(new SchedulerService());
        submitAndAwaitEnd(10);

        JournalReplay replay = new JournalReplay(around.context().database(), Workload.POOL);
        JournalReplay.Result result = replay.run();
        assertThat(result.findings()).isEmpty();
        assertThat(result.jobs()).containsOnlyKeys(jobs);
        assertThat(result.jobsByState()).containsOnlyKeys(JobState.SUCCEEDED);
        assertThat(result.starts().values()).containsOnly(1);
        await().atMost(PATIENCE).until(() -> workload.seen().size() == replay.run().seq());
        assertThat(workload.holes()).isZero();
    }

    @Test
    void takesNothingOfAKafkaThatIsNewerThanPostgresAndSaysWhatToDo() throws Exception {
        try (ServiceRunner first = ServiceRunner.prepare(settings)) {
            first.start(new SchedulerService());
            submitAndAwaitEnd(5);
        }
        try (TestDatabase older = servers.copy()) {
            try (ServiceRunner first = ServiceRunner.prepare(settings)) {
                first.start(new SchedulerService());
                submitAndAwaitEnd(5);
                await().atMost(PATIENCE).until(() -> workload.seen().size() == head(first, "seq"));
            }
            Settings restored =
                    settings.with(PlatformSettings.SQL_DATABASE, older.connection().database());
            try (ServiceRunner behind = ServiceRunner.prepare(restored)) {
                behind.start(new SchedulerService());
                await().atMost(PATIENCE)
                        .until(() ->
                                problems(behind).contains("PostgreSQL is older than Kafka")
                                        && problems(behind).contains("another kafka.prefix"));
                assertThat(jobsOf(behind)).isEqualTo(5);
            }
            String prefix = TestKafka.shared().newPrefix() + "muster";
            try (ServiceRunner apart =
                    ServiceRunner.prepare(restored.with(PlatformSettings.KAFKA_PREFIX, prefix))) {
                long epoch = head(apart, "epoch");
                apart.start(new SchedulerService());
                await().atMost(PATIENCE)
                        .until(() -> head(apart, "epoch") > epoch && problems(apart).isEmpty());
                assertThat(jobsOf(apart)).isEqualTo(5);
            }
        }
    }

    private void submitAndAwaitEnd(int count) {
        for (int i = 0; i < count; i++) {
            jobs.add(workload.submit(1 + i % 3));
        }
        await().atMost(PATIENCE).until(() -> workload.ended().keySet().containsAll(jobs));
    }

    private static String problems(ServiceRunner runner) throws InterruptedException {
        return String.join(
                "; ",
                Awaited.get(runner.context().health().statuses()).stream()
                        .map(status -> status.problem())
                        .filter(problem -> !problem.isEmpty())
                        .toList());
    }

    private static long head(ServiceRunner runner, String column) throws InterruptedException {
        for (Row row :
                Awaited.get(
                        runner.context()
                                .database()
                                .query("SELECT seq, epoch FROM scheduler.pub_pool_head"))) {
            return row.getLong(column);
        }
        return 0;
    }

    private static int jobsOf(ServiceRunner runner) throws InterruptedException {
        return new JournalReplay(runner.context().database(), Workload.POOL).run().jobs().size();
    }
}
