package dev.muster.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.Command.ReportIncident;
import dev.muster.domain.Event;
import dev.muster.domain.Scenario;
import dev.muster.domain.Tier;
import dev.muster.domain.Watch;
import dev.muster.embedded.KafkaConnection;
import dev.muster.embedded.PostgresConnection;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.ServiceRunner;
import dev.muster.testkit.TestDatabase;
import dev.muster.testkit.TestKafka;
import dev.muster.testkit.TestPostgres;

import io.vertx.sqlclient.Row;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A monitor on a real database and real streams. */
class MonitorIT {

    @TempDir private Path data;
    private TestDatabase database;
    private Settings settings;
    private ServiceRunner around;
    private PublishedPool pool;
    private final List<ServiceRunner> monitors = new ArrayList<>();

    @BeforeEach
    void open() {
        database = TestPostgres.shared().newDatabase();
        PostgresConnection sql = database.connection();
        KafkaConnection kafka = TestKafka.shared().connection();
        settings =
                Settings.defaults()
                        .with(PlatformSettings.DATA_DIR, data.toString())
                        .with(PlatformSettings.SERVICE_ID, "one")
                        .with(PlatformSettings.SERVICE_TOKEN, "0123456789abcdef0123")
                        .with(PlatformSettings.SQL_HOST, sql.host())
                        .with(PlatformSettings.SQL_PORT, sql.port())
                        .with(PlatformSettings.SQL_DATABASE, sql.database())
                        .with(PlatformSettings.SQL_USER, sql.user())
                        .with(PlatformSettings.SQL_PASSWORD, sql.password())
                        .with(PlatformSettings.KAFKA_BOOTSTRAP, List.of(kafka.bootstrapServers()))
                        .with(PlatformSettings.KAFKA_USER, kafka.user())
                        .with(PlatformSettings.KAFKA_PASSWORD, kafka.password())
                        .with(PlatformSettings.KAFKA_PREFIX, TestKafka.shared().newPrefix() + "m")
                        .with(PlatformSettings.KAFKA_PARTITIONS, 1);
        around = ServiceRunner.prepare(settings);
        pool = new PublishedPool(around.context());
    }

    @AfterEach
    void close() {
        monitors.forEach(ServiceRunner::close);
        pool.close();
        around.close();
        database.close();
    }

    private ServiceRunner monitor(String id) {
        ServiceRunner runner =
                ServiceRunner.prepare(settings.with(PlatformSettings.SERVICE_ID, id));
        monitors.add(runner);
        runner.start(new MonitorService());
        return runner;
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofMinutes(1));
    }

    /** A job that runs, whose hangs count from its first second. */
    private static Event[] running() {
        return new Event[] {
            new Event.ShardOwned(5, "executor"),
            new Event.JobSubmitted(Jobs.ask(new Watch(60, 0)), "digits", "hash", 1),
            new Event.GangGranted(Jobs.JOB, Jobs.PROJECT, 1, List.of()),
            new Event.JobStarting(Jobs.JOB, Jobs.PROJECT, 1, 1),
            new Event.JobStarted(Jobs.JOB, Jobs.PROJECT, 1)
        };
    }

    private List<String> verdicts() {
        return pool.said().stream()
                .map(each -> ((ReportIncident) each).commandId())
                .distinct()
                .toList();
    }

    private static String hang(int processStart) {
        return "incident-%s-1-1-%d-JOB_HANGED".formatted(Jobs.JOB, processStart);
    }

    @Test
    void reportsAHangOfEachProcessStartOnceWhateverWasSaidBefore() {
        pool.facts(running());
        monitor("one");
        // an executor that has lost its shard is not believed
        pool.signals(4, Jobs.silent(0, 90_000), Jobs.silent(1, 90_000));
        pool.signals(5, Jobs.silent(0, 90_000), Jobs.silent(1, 10));
        pool.signals(5, Jobs.silent(1, 61_000));
        soon().until(() -> verdicts().equals(List.of(hang(1))));

        pool.facts(
                Jobs.restarting(Tier.PROCESS, 1, 2),
                new Event.JobRestarted(Jobs.JOB, Jobs.PROJECT, 1, 1, Tier.PROCESS));
        // signals overtake facts and lag behind them: neither counts for the other process start
        soon().until(() -> {
            pool.signals(
                    5,
                    Jobs.silent(0, 90_000),
                    Jobs.signal(0, 2, 61_000, 61_000, ""),
                    Jobs.signal(1, 2, 61_000, 60_000, ""));
            return verdicts().equals(List.of(hang(1), hang(2)));
        });
    }

    @Test
    void passesOverRecordsThatNobodyCanBelieve() {
        pool.facts(running());
        ServiceRunner monitor = monitor("one");
        Event next = Jobs.restarting(Tier.PROCESS, 1, 2);
        pool.poison(next, Jobs.silent(0, 90_000));
        pool.facts(next, new Event.JobRestarted(Jobs.JOB, Jobs.PROJECT, 1, 1, Tier.PROCESS));
        soon().until(() -> {
            pool.signals(
                    5,
                    Jobs.signal(0, 2, 61_000, 61_000, ""),
                    Jobs.signal(1, 2, 61_000, 61_000, ""));
            return verdicts().equals(List.of(hang(2)));
        });
        assertThat(
                        monitor.context()
                                .meters()
                                .get("muster.records.skipped")
                                .tag("why", "malformed")
                                .counter()
                                .count())
                .isPositive();
        assertThat(monitor.context().meters().get("muster.monitor.facts.skipped").gauge().value())
                .isPositive();
    }

    @Test
    void classifiesAnExitByTheLastSignalsOfItsCommand() {
        pool.facts(running());
        monitor("one");
        pool.signals(5, Jobs.signal(1, 1, 5000, 10, "RuntimeError: NCCL timeout"));
        pool.facts(Jobs.exited(1, 1, 1));

        soon().until(() -> !pool.said().isEmpty());
        ReportIncident verdict = (ReportIncident) pool.said().getFirst();
        assertThat(verdict.scenario()).isEqualTo(Scenario.ERROR_IN_LOG);
        assertThat(verdict.message()).contains("NCCL timeout");
    }

    @Test
    void aMonitorThatComesLaterJudgesWhatHappenedMeanwhile() {
        pool.journal(running());
        pool.journal(Jobs.exited(0, 1, 137));
        monitor("one");

        soon().until(() -> !pool.said().isEmpty());
        ReportIncident verdict = (ReportIncident) pool.said().getFirst();
        assertThat(verdict.environment()).isTrue();
    }

    @Test
    void aStandbyTakesOverWithTheSameVerdict() {
        pool.facts(running());
        ServiceRunner first = monitor("one");
        monitor("two");
        pool.signals(5, Jobs.silent(0, 90_000), Jobs.silent(1, 90_000));
        soon().until(() -> verdicts().equals(List.of(hang(1))));
        monitors.remove(first);
        first.close();

        int before = pool.said().size();
        soon().until(() -> {
            pool.signals(5, Jobs.silent(0, 95_000), Jobs.silent(1, 95_000));
            return pool.said().size() > before;
        });
        assertThat(verdicts()).containsExactly(hang(1));
    }

    @Test
    void keepsOneSampleAJobAndMinute() {
        LiveJobs jobs = Jobs.running();
        LiveJob job = java.util.Objects.requireNonNull(jobs.get(Jobs.JOB));
        job.saw(Jobs.silent(0, 500));
        job.saw(Jobs.silent(1, 20));
        monitor("one");
        SampleStore store = new SampleStore(around.context().database(), PublishedPool.POOL);
        PublishedPool.await(store.store(600_000, SampleStore.of(jobs.all())));
        job.saw(Jobs.silent(1, 30));
        PublishedPool.await(store.store(601_000, SampleStore.of(jobs.all())));
        PublishedPool.await(store.store(660_000, SampleStore.of(jobs.all())));

        assertThat(silences()).containsExactly(30L, 30L);
        PublishedPool.await(store.forget(660_000));
        assertThat(silences()).containsExactly(30L);
    }

    private List<Long> silences() {
        List<Long> found = new ArrayList<>();
        for (Row row :
                PublishedPool.await(
                        around.context()
                                .database()
                                .query("SELECT silent_millis FROM monitor.pub_sample"))) {
            found.add(row.getLong(0));
        }
        return found;
    }
}
