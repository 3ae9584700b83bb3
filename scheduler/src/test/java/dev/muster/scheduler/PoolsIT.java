package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.ServiceRunner;

import io.vertx.sqlclient.Row;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Two pools and two schedulers, one of which is killed and comes back, under load. */
class PoolsIT {

    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private final Servers servers = new Servers();
    private final Settings settings =
            servers.settings()
                    .with(PlatformSettings.POOLS, List.of("dedicated"))
                    .with(SchedulerSettings.BALANCE_SECONDS, 1)
                    .with(SchedulerSettings.SNAPSHOT_EVENTS, 1);
    private final List<JobId> jobs = new ArrayList<>();
    private ServiceRunner around;
    private Workload workload;

    @BeforeEach
    void prepare() throws InterruptedException {
        around = ServiceRunner.prepare(settings);
        Awaited.get(around.context().database().migrate("scheduler"));
        workload = new Workload(around, 4);
    }

    @AfterEach
    void close() {
        workload.close();
        around.close();
        servers.close();
    }

    @Test
    void eachLeadsOneTakesTheOthersOverAndGivesItBack() throws InterruptedException {
        try (SchedulerProcess a = process("a")) {
            submit(20);
            await().atMost(PATIENCE).until(() -> holders().values(), all("a", 2));
            try (SchedulerProcess b = process("b")) {
                submit(100);
                await().atMost(PATIENCE).until(() -> shared());
                b.kill();
                submit(100);
                await().atMost(PATIENCE).until(() -> holders().values(), all("a", 2));
            }
            try (SchedulerProcess again = process("b")) {
                submit(100);
                await().atMost(PATIENCE).until(() -> shared());
                awaitEnd();
                assertThat(a.runs()).isTrue();
                assertThat(again.runs()).isTrue();
            }
        }
        assertSound();
    }

    private static java.util.function.Predicate<Collection<String>> all(String id, int pools) {
        return holders -> holders.size() == pools && holders.stream().allMatch(id::equals);
    }

    private boolean shared() throws InterruptedException {
        return holders().values().stream().sorted().toList().equals(List.of("a", "b"));
    }

    private SchedulerProcess process(String id) {
        return SchedulerProcess.start(
                settings.with(PlatformSettings.SERVICE_ID, id), Servers.KEYS, "");
    }

    private void submit(int count) {
        for (int i = 0; i < count; i++) {
            jobs.add(workload.submit(1 + i % 3));
        }
    }

    private void awaitEnd() {
        await().atMost(PATIENCE).until(() -> workload.ended().keySet().containsAll(jobs));
    }

    private Map<String, String> holders() throws InterruptedException {
        Map<String, String> holders = new TreeMap<>();
        for (Row row :
                Awaited.get(
                        around.context()
                                .database()
                                .query(
                                        "SELECT pool, holder FROM scheduler.pub_pool_head WHERE"
                                                + " lease_until > clock_timestamp()"))) {
            holders.put(row.getString("pool"), row.getString("holder"));
        }
        return holders;
    }

    private void assertSound() throws InterruptedException {
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
