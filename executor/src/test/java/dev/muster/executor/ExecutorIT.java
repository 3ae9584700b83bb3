package dev.muster.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;
import dev.muster.domain.PoolId;
import dev.muster.domain.Report;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.ServiceRunner;
import dev.muster.testkit.TestDatabase;
import dev.muster.testkit.TestPostgres;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** An executor with real processes, on a real database and a real event stream. */
class ExecutorIT {

    @TempDir private Path data;
    private TestDatabase database;
    private Settings settings;
    private ServiceRunner shared;
    private ScriptedPool pool;
    private final List<ServiceRunner> executors = new java.util.ArrayList<>();

    @BeforeEach
    void open() {
        database = TestPostgres.shared().newDatabase();
        settings = TestSettings.of(data, database);
        shared = ServiceRunner.prepare(settings);
        pool = new ScriptedPool(shared.context());
    }

    @AfterEach
    void close() {
        pool.cut(false);
        executors.forEach(ServiceRunner::close);
        pool.close();
        shared.close();
        database.close();
        TestSettings.killInstances(data);
    }

    private ServiceRunner executor(Settings own) {
        ServiceRunner runner = ServiceRunner.prepare(own);
        executors.add(runner);
        runner.start(new ExecutorRole());
        return runner;
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofMinutes(2));
    }

    private <E extends Event> E awaitFact(Class<E> type, Predicate<E> which) {
        soon().until(() -> facts(type).anyMatch(which));
        return facts(type).filter(which).findFirst().orElseThrow();
    }

    private <E extends Event> Stream<E> facts(Class<E> type) {
        return pool.events().stream().filter(type::isInstance).map(type::cast);
    }

    private <R extends Report> long reports(Class<R> type) {
        return pool.reports().stream().filter(type::isInstance).count();
    }

    private void assertEveryStartHappenedOnce() throws IOException {
        for (InstanceRecord each : InstanceScan.of(data)) {
            assertThat(each.processStarts()).allMatch(start -> start.starts() <= 1);
        }
    }

    @Test
    void aTwoInstanceTrainingRunsToItsEnd() throws IOException {
        Path out = TestSettings.placeDigits(data);
        executor(settings);

        JobId job = pool.submit(Facts.digits(Map.of("epochs", "1"), JobSpec.Recovery.OFF));

        awaitFact(Event.JobSucceeded.class, e -> e.job().equals(job));
        assertThat(out.resolve("metrics.json")).exists();
        assertThat(facts(Event.InstanceExited.class))
                .extracting(Event.InstanceExited::exitCode)
                .containsExactly(0, 0);
        soon().untilAsserted(() ->
                assertThat(InstanceScan.of(data)).hasSize(2).allMatch(InstanceRecord::ended));
        assertThat(InstanceScan.of(data)).allMatch(each -> each.living().isEmpty());
        assertEveryStartHappenedOnce();
    }

    @Test
    void aStopReachesACommandThatIgnoresIt() throws IOException {
        executor(settings);
        JobId job = pool.submit(Facts.spec("trap '' TERM; while :; do sleep 1; done", 1, Map.of()));
        awaitFact(Event.JobStarted.class, e -> e.job().equals(job));

        pool.stop(job);

        awaitFact(Event.JobStopped.class, e -> e.job().equals(job));
        soon().untilAsserted(() ->
                assertThat(InstanceScan.of(data)).allMatch(each -> each.living().isEmpty()));
        assertThat(facts(Event.InstanceExited.class))
                .extracting(Event.InstanceExited::exitCode)
                .containsExactly(137);
    }

    @Test
    void aFailedInstanceEndsTheOthersAndTheJob() {
        executor(settings);
        JobId job =
                pool.submit(
                        Facts.spec(
                                "if [ \"$RANK\" = 1 ]; then no-such-program; else sleep 600; fi",
                                2,
                                Map.of()));

        Event.JobFailed failed = awaitFact(Event.JobFailed.class, e -> e.job().equals(job));

        assertThat(failed.cause()).isEqualTo(FailureCause.EXIT_CODE);
        assertThat(failed.message()).contains("127");
    }

    @Test
    void dataThatIsNotThereFailsThePreparation() {
        executor(settings);
        JobSpec plain = Facts.digits(Map.of(), JobSpec.Recovery.OFF);
        JobId job = pool.submit(plain);

        Event.JobFailed failed = awaitFact(Event.JobFailed.class, e -> e.job().equals(job));

        assertThat(failed.cause()).isEqualTo(FailureCause.PREPARATION);
        assertThat(failed.message()).contains("obs://samples/digits");
        assertThat(facts(Event.InstanceStarted.class)).isEmpty();
    }

    @Test
    void theNextExecutorTakesOverWhatRunsAndFindsWhatEnded() throws IOException {
        ServiceRunner first = executor(settings);
        Path gate = data.resolve("gate");
        JobId runs = pool.submit(Facts.spec(untilExists(gate), 2, Map.of()));
        JobId ends = pool.submit(Facts.spec("sleep 1; exit 3", 1, Map.of()));
        awaitFact(Event.JobStarted.class, e -> e.job().equals(runs));
        awaitFact(Event.JobStarted.class, e -> e.job().equals(ends));
        pool.snapshot();
        first.close();
        assertThat(facts(Event.JobFailed.class)).isEmpty();

        executor(settings);

        awaitFact(Event.JobFailed.class, e -> e.job().equals(ends));
        assertThat(facts(Event.JobSucceeded.class)).isEmpty();
        Files.createFile(gate);
        awaitFact(Event.JobSucceeded.class, e -> e.job().equals(runs));
        assertThat(reports(Report.ShardTaken.class)).isEqualTo(2);
        assertThat(InstanceScan.of(data)).hasSize(3);
        assertEveryStartHappenedOnce();
    }

    private static String untilExists(Path file) {
        return "until [ -e '" + file + "' ]; do sleep 0.1; done";
    }

    @Test
    void anOvertakenExecutorLeavesEverythingToTheOneThatTookOver() throws IOException {
        executor(settings);
        Path gate = data.resolve("gate");
        JobId job = pool.submit(Facts.spec(untilExists(gate), 1, Map.of()));
        awaitFact(Event.JobStarted.class, e -> e.job().equals(job));

        // the same configured id: it does not wait for the lease
        executor(settings);
        soon().until(() -> reports(Report.ShardTaken.class) == 2);

        Files.createFile(gate);
        awaitFact(Event.JobSucceeded.class, e -> e.job().equals(job));
        assertThat(reports(Report.ShardTaken.class)).isEqualTo(2);
        assertEveryStartHappenedOnce();
    }

    @Test
    void aStandbyActsOnlyWhenTheLeaseIsOver() {
        ServiceRunner first = executor(settings);
        soon().until(() -> reports(Report.ShardTaken.class) == 1);
        ServiceRunner standby = executor(settings.with(PlatformSettings.SERVICE_ID, "two"));
        soon().until(() ->
                ScriptedPool.await(standby.context().health().statuses()).stream()
                        .allMatch(dev.muster.platform.observe.Health.Status::well));
        assertThat(reports(Report.ShardTaken.class)).isEqualTo(1);

        first.close();

        soon().until(() -> reports(Report.ShardTaken.class) == 2);
        JobId job = pool.submit(Facts.spec("true", 1, Map.of()));
        awaitFact(Event.JobSucceeded.class, e -> e.job().equals(job));
    }

    @Test
    void whatTheStreamLosesIsReadFromTheJournal() {
        executor(settings);
        JobId before = pool.submit(Facts.spec("true", 1, Map.of()));
        awaitFact(Event.JobSucceeded.class, e -> e.job().equals(before));

        pool.cut(true);
        JobId silent = pool.submit(Facts.spec("true", 1, Map.of()));
        awaitFact(Event.JobSucceeded.class, e -> e.job().equals(silent));

        pool.submit(Facts.spec("true", 1, Map.of()));
        pool.cut(false);
        JobId after = pool.submit(Facts.spec("true", 1, Map.of()));
        awaitFact(Event.JobSucceeded.class, e -> e.job().equals(after));
        soon().until(() -> facts(Event.JobSucceeded.class).count() == 4);
    }

    @Test
    void aLogIsReadWhileItGrowsAndAfterTheEnd() throws Exception {
        executor(settings);
        Path gate = data.resolve("gate");
        JobId job =
                pool.submit(
                        Facts.spec(
                                "echo first; " + untilExists(gate) + "; echo last", 1, Map.of()));
        awaitFact(Event.JobStarted.class, e -> e.job().equals(job));
        HttpResponse<InputStream> following = get(job, "?follow=true");
        assertThat(following.headers().firstValue(ExecutorApi.LIVE_HEADER)).contains("true");
        byte[] first = following.body().readNBytes(6);
        assertThat(new String(first, StandardCharsets.UTF_8)).isEqualTo("first\n");

        Files.createFile(gate);

        String rest = new String(following.body().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(rest).isEqualTo("last\n");
        awaitFact(Event.JobSucceeded.class, e -> e.job().equals(job));
        HttpResponse<InputStream> later = get(job, "?offset=6");
        assertThat(new String(later.body().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("last\n");
    }

    @Test
    void aReaderThatLeavesFreesItsPlace() throws Exception {
        executor(settings.with(ExecutorSettings.LOG_READERS, 1));
        JobId job = pool.submit(Facts.spec("while :; do echo on; sleep 0.1; done", 1, Map.of()));
        awaitFact(Event.JobStarted.class, e -> e.job().equals(job));
        HttpResponse<InputStream> only = get(job, "?follow=true");
        assertThat(only.body().read()).isPositive();
        assertThat(get(job, "").statusCode()).isEqualTo(429);

        only.body().close();

        soon().until(() -> get(job, "").statusCode() == 200);
        pool.stop(job);
        awaitFact(Event.JobStopped.class, e -> e.job().equals(job));
    }

    private HttpResponse<InputStream> get(JobId job, String query) throws Exception {
        String url =
                ScriptedPool.await(
                                shared.context().directory().find("executor", new PoolId("public")))
                        .getFirst()
                        .url();
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                url
                                                        + "/internal/v1/instances/"
                                                        + job
                                                        + "/1/0/log"
                                                        + query))
                                .header("Authorization", "Bearer " + TestSettings.TOKEN)
                                .timeout(Duration.ofMinutes(1))
                                .build(),
                        HttpResponse.BodyHandlers.ofInputStream());
    }
}
