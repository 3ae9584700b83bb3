package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.embedded.EmbeddedKafka;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.KafkaConnection;
import dev.muster.embedded.KafkaSettings;
import dev.muster.embedded.PostgresSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.ServiceRunner;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The servers below the scheduler crash and come back while jobs run. */
class OutageIT {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir private Path directory;

    private final List<JobId> jobs = new ArrayList<>();

    @Test
    void losesAndDoublesNothingWhenPostgresCrashesAndKafkaIsAway()
            throws InterruptedException, IOException {
        PostgresSettings small =
                PostgresSettings.defaults().withOverrides(Map.of("shared_buffers", "64MB"));
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(directory, small)) {
            EmbeddedKafka kafka = EmbeddedKafka.start(directory, KafkaSettings.defaults());
            KafkaConnection broker = kafka.connection();
            Settings settings = Servers.settings(postgres.connection(), broker, "outage");
            try (ServiceRunner around = ServiceRunner.prepare(settings);
                    Workload workload = new Workload(around, 4)) {
                around.start(new SchedulerService());
                crash(postgres, workload);
                crash(postgres, workload);

                submit(workload, 20);
                kafka.close();
                submit(workload, 20);
                await().atMost(PATIENCE).until(() -> !healthy(around));
                kafka =
                        EmbeddedKafka.start(
                                directory, KafkaSettings.defaults().withPort(broker.port()));
                awaitEnd(workload);
                await().atMost(PATIENCE).until(() -> healthy(around));
                assertSound(around, workload);
            } finally {
                kafka.close();
            }
        }
    }

    private void crash(EmbeddedPostgres postgres, Workload workload)
            throws IOException, InterruptedException {
        submit(workload, 50);
        long pid = postgres.connection().pid();
        // what pg_ctl -m immediate sends
        new ProcessBuilder("kill", "-QUIT", Long.toString(pid)).start().waitFor();
        submit(workload, 10);
        awaitEnd(workload);
        assertThat(postgres.connection().pid()).isNotEqualTo(pid);
    }

    private static boolean healthy(ServiceRunner around) throws InterruptedException {
        return Awaited.get(around.context().health().statuses()).stream()
                .allMatch(status -> status.well());
    }

    private void submit(Workload workload, int count) {
        for (int i = 0; i < count; i++) {
            jobs.add(workload.submit(1 + i % 3));
        }
    }

    private void awaitEnd(Workload workload) {
        await().atMost(PATIENCE).until(() -> workload.ended().keySet().containsAll(jobs));
    }

    private void assertSound(ServiceRunner around, Workload workload) throws InterruptedException {
        JournalReplay replay = new JournalReplay(around.context().database(), Workload.POOL);
        JournalReplay.Result result = replay.run();
        assertThat(result.findings()).isEmpty();
        assertThat(result.jobs()).containsOnlyKeys(jobs);
        assertThat(result.jobsByState()).containsOnlyKeys(JobState.SUCCEEDED);
        assertThat(result.starts().values()).containsOnly(1);
        await().atMost(PATIENCE).until(() -> workload.holes() == 0);
        assertThat(replay.redecide()).isEmpty();
    }
}
