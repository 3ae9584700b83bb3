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

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Some pools and schedulers that come, leave in order and are killed, under load. */
class PoolsIT {

    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private final Servers servers = new Servers();

    /** Far shorter than a lease of {@link #LONG_LEASE_MILLIS}. */
    private static final Duration AT_ONCE = Duration.ofSeconds(40);

    private static final int LONG_LEASE_MILLIS = 60_000;

    private Settings settings =
            servers.settings()
                    .with(PlatformSettings.KAFKA_PARTITIONS, 6)
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

    @Test
    void aThirdTakesItsShareOnceAndWhoLeavesGivesItsPoolsOverAtOnce()
            throws IOException, InterruptedException {
        settings =
                settings.with(PlatformSettings.POOLS, List.of("dedicated", "p", "q", "r", "s"))
                        .with(SchedulerSettings.LEASE_MILLIS, LONG_LEASE_MILLIS);
        try (SchedulerProcess a = process("a")) {
            await().atMost(PATIENCE).until(() -> holders().equals(shares("a")));
            assertThat(terms()).isEqualTo(6);
            try (SchedulerProcess b = process("b");
                    SchedulerProcess c = process("c")) {
                submit(100);
                await().atMost(PATIENCE).until(() -> holders().equals(shares("a", "b", "c")));
                submit(100);
                c.leave();
                // nobody waits for a lease, and the live ones stay where they are
                await().atMost(AT_ONCE).until(() -> holders().size() == 6);
                await().atMost(PATIENCE).until(() -> holders().equals(shares("a", "b")));
                long settled = terms();
                submit(100);
                awaitEnd();
                assertThat(a.runs()).isTrue();
                assertThat(b.runs()).isTrue();
                assertThat(terms()).isEqualTo(settled);
                // each pool at most once when one comes and when one leaves, its own once more
                assertThat(settled).isLessThanOrEqualTo(6 + 3 * 6 + 2);
            }
        }
        assertSound();
    }

    @Test
    void takesAPoolBackThatNobodyTakes() throws InterruptedException {
        try (SchedulerProcess a = process("a")) {
            await().atMost(PATIENCE).until(() -> holders().values(), all("a", 2));
            // alive in the directory, but leads nothing
            Awaited.get(around.context().register(SchedulerService.ROLE, List.of(), 1));
            await().atMost(PATIENCE).until(() -> terms() >= 3);
            submit(50);
            awaitEnd();
            await().atMost(PATIENCE).until(() -> holders().values(), all("a", 2));
            assertThat(a.runs()).isTrue();
            Awaited.get(around.context().withdraw(SchedulerService.ROLE));
        }
        assertSound();
    }

    private Map<String, String> shares(String... ids) {
        List<PoolShares.Member> members =
                Stream.of(ids).map(id -> new PoolShares.Member(id, List.of())).toList();
        List<String> pools = new ArrayList<>(settings.get(PlatformSettings.POOLS));
        pools.add(Workload.POOL.value());
        return PoolShares.of(members, pools);
    }

    /** How often a pool was taken. */
    private long terms() throws InterruptedException {
        return Awaited.get(
                        around.context()
                                .database()
                                .query(
                                        "SELECT sum(epoch)::bigint AS n FROM"
                                                + " scheduler.pub_pool_head"))
                .iterator()
                .next()
                .getLong("n");
    }

    private static Predicate<Collection<String>> all(String id, int pools) {
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
