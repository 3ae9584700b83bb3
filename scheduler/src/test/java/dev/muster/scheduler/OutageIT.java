package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.Command;
import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.Scenario;
import dev.muster.embedded.EmbeddedKafka;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.KafkaConnection;
import dev.muster.embedded.KafkaSettings;
import dev.muster.embedded.PostgresSettings;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.ServiceRunner;

import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

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

    @Test
    void S20_judgesNoExitWhileKafkaIsAway() throws InterruptedException, IOException {
        PostgresSettings small =
                PostgresSettings.defaults().withOverrides(Map.of("shared_buffers", "64MB"));
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start(directory, small)) {
            EmbeddedKafka kafka = EmbeddedKafka.start(directory, KafkaSettings.defaults());
            KafkaConnection broker = kafka.connection();
            Settings settings = Servers.settings(postgres.connection(), broker, "verdict");
            try (ServiceRunner around = ServiceRunner.prepare(settings);
                    Workload workload = new Workload(around, 4)) {
                around.start(new SchedulerService());
                JobId job = workload.submitTroubled(1);
                jobs.add(job);
                await().atMost(PATIENCE).until(() -> saw(workload, "VerdictAwaited"));
                kafka.close();
                await().atMost(PATIENCE).until(() -> outages(around) > 0);
                kafka =
                        EmbeddedKafka.start(
                                directory, KafkaSettings.defaults().withPort(broker.port()));
                workload.command(
                        new Command.ReportIncident(
                                "i", job, 1, 1, 1, Scenario.JOB_FAILED, true, 0, "killed"));
                awaitEnd(workload);
                assertThat(workload.ended()).containsEntry(job, "JobSucceeded");
                assertThat(saw(workload, "JobRestarted")).isTrue();
                assertThat(around.context().meters().find("muster.scheduler.restarts").counters())
                        .singleElement()
                        .satisfies(counter -> {
                            assertThat(counter.count()).isEqualTo(1);
                            assertThat(counter.getId().getTag("tier")).isEqualTo("proc_restart");
                            assertThat(counter.getId().getTag("cause")).isEqualTo("JOB_FAILED");
                            assertThat(counter.getId().getTag("result")).isEqualTo("SUCCESS");
                        });
                JournalReplay replay =
                        new JournalReplay(around.context().database(), Workload.POOL);
                assertThat(replay.run().findings()).isEmpty();
                assertThat(replay.redecide()).isEmpty();
            } finally {
                kafka.close();
            }
        }
    }

    private static boolean saw(Workload workload, String type) {
        return workload.seen().values().stream().anyMatch(event -> event.type().equals(type));
    }

    /** Outages that the journal tells of. */
    private static long outages(ServiceRunner around) throws InterruptedException {
        long outages = 0;
        for (Row row :
                Awaited.get(
                        around.context()
                                .database()
                                .query("SELECT body FROM scheduler.pub_journal", Tuple.tuple()))) {
            outages +=
                    JournalBody.rawEvents(row.getBuffer("body").getBytes()).stream()
                            .filter(event -> event.type().equals("OutageObserved"))
                            .count();
        }
        return outages;
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
