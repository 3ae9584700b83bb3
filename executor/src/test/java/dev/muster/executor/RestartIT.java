package dev.muster.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.agent.Adoption;
import dev.muster.domain.FailureCause;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobSpec;
import dev.muster.domain.Report;
import dev.muster.domain.Scenario;
import dev.muster.domain.Tier;
import dev.muster.platform.config.Settings;
import dev.muster.platform.kafka.ProgressRecord;
import dev.muster.platform.run.ServiceRunner;
import dev.muster.testkit.TestDatabase;
import dev.muster.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Restarts of each tier with real processes; the decisions are the test's. */
class RestartIT {

    private static final JobSpec.Recovery WATCHED =
            new JobSpec.Recovery(true, 3, false, true, 2, 0, List.of("^FATAL .*"));

    @TempDir private Path data;
    private TestDatabase database;
    private Settings settings;
    private ServiceRunner shared;
    private ScriptedScheduler scheduler;
    private final List<ServiceRunner> executors = new ArrayList<>();

    @BeforeEach
    void open() {
        database = TestPostgres.shared().newDatabase();
        settings = TestSettings.of(data, database);
        shared = ServiceRunner.prepare(settings);
        scheduler = new ScriptedScheduler(shared.context());
    }

    @AfterEach
    void close() {
        executors.forEach(ServiceRunner::close);
        scheduler.close();
        shared.close();
        database.close();
        TestSettings.killInstances(data);
    }

    private ServiceRunner executor() {
        ServiceRunner runner = ServiceRunner.prepare(settings);
        executors.add(runner);
        runner.start(new ExecutorRole());
        return runner;
    }

    private Path root(InstanceRef instance) {
        return new InstanceTree(data.resolve("instances")).instance(instance);
    }

    private String log(InstanceRef instance) throws IOException {
        Path log =
                root(instance)
                        .resolve("home/ma-user/modelarts/log")
                        .resolve(
                                "modelarts-job-%s-worker-%d.log"
                                        .formatted(instance.job(), instance.index()));
        return Files.readString(log);
    }

    private void awaitLog(InstanceRef instance, String text) {
        scheduler.awaitStarted(instance, 1);
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(log(instance)).isEqualTo(text));
    }

    private void assertEveryStartHappenedOnce() throws IOException {
        assertThat(InstanceScan.of(data))
                .isNotEmpty()
                .allSatisfy(each ->
                        assertThat(each.processStarts()).allMatch(start -> start.starts() <= 1));
    }

    @ParameterizedTest
    @EnumSource(Tier.class)
    void aHungTrainingResumesFromItsCheckpoint(Tier tier) throws IOException {
        Path out = TestSettings.placeDigits(data);
        executor();
        scheduler.grant(
                Facts.digits(
                        Map.of("epochs", "1", "checkpoint_steps", "10", "hang_at_step", "25"),
                        WATCHED));
        InstanceRef rank0 = scheduler.instance(1, 0, 1);
        InstanceRef rank1 = scheduler.instance(1, 1, 1);
        scheduler.awaitStarted(rank0, 1);
        scheduler.awaitStarted(rank1, 1);

        for (InstanceRef each : List.of(rank0, rank1)) {
            // a slow start may be a silence too
            scheduler.awaitSignal(
                    s -> s.instance().equals(each) && s.step() == 20 && s.silentMillis() >= 2000);
        }
        scheduler.restart(tier, Scenario.JOB_HANGED);

        InstanceRef next =
                switch (tier) {
                    case PROCESS -> rank0;
                    case CONTAINER -> scheduler.instance(1, 0, 2);
                    case JOB -> scheduler.instance(2, 0, 1);
                };
        assertThat(scheduler.awaitExit(next, tier == Tier.PROCESS ? 2 : 1)).isZero();
        assertThat(log(next)).contains("resumed from step 20").contains("done: steps=44");
        assertThat(
                        scheduler.awaitReport(
                                Report.EvidenceKept.class, e -> e.instance().equals(rank0)))
                .satisfies(kept -> {
                    assertThat(kept.processStart()).isEqualTo(1);
                    assertThat(kept.incident()).isEqualTo(1);
                    assertThat(kept.location())
                            .isEqualTo(
                                    "obs://muster/evidence/%s/1/1/0.txt"
                                            .formatted(scheduler.job()));
                });
        Path evidence = data.resolve("store/muster/evidence/" + scheduler.job() + "/1/1/0.txt");
        assertThat(evidence).content().contains("in break_on_request", "step 20");
        scheduler.awaitReport(Report.EvidenceKept.class, e -> e.instance().equals(rank1));
        scheduler.finish();
        scheduler.awaitReleased();
        assertThat(out.resolve("metrics.json")).exists();
        assertEveryStartHappenedOnce();
    }

    @Test
    void theCountersOfARestartAreInItsEnvironment() throws IOException {
        executor();
        scheduler.grant(
                Facts.spec(
                        "echo counts $MA_SCHEDULE_CNT.$MA_PROC_START_CNT; sleep 600", 1, Map.of()));
        InstanceRef first = scheduler.instance(1, 0, 1);
        // it is told before the command has said anything
        awaitLog(first, "counts 1.1\n");
        scheduler.restart(Tier.PROCESS, Scenario.JOB_FAILED);
        awaitLog(first, "counts 1.1\ncounts 1.2\n");
        scheduler.awaitStarted(first, 2);
        assertThat(scheduler.awaitExit(first, 1)).isEqualTo(143);
        scheduler.restart(Tier.CONTAINER, Scenario.JOB_FAILED);
        InstanceRef second = scheduler.instance(1, 0, 2);
        awaitLog(second, "counts 1.1\n");
        scheduler.restart(Tier.JOB, Scenario.JOB_FAILED);
        InstanceRef third = scheduler.instance(2, 0, 1);
        awaitLog(third, "counts 2.1\n");

        assertThat(log(first)).isEqualTo("counts 1.1\ncounts 1.2\n");
        assertThat(log(second)).isEqualTo("counts 1.1\n");
        assertThat(Adoption.livingProcesses(root(first))).isEmpty();
        assertThat(Adoption.livingProcesses(root(second))).isEmpty();
        assertThat(scheduler.reports(Report.EvidenceKept.class)).isEmpty();
        assertEveryStartHappenedOnce();
    }

    @Test
    void anInstanceWhoseSupervisorIsKilledIsLostAndReplacedOnceNothingOfItLives()
            throws IOException {
        executor();
        Path running = data.resolve("running");
        scheduler.grant(
                Facts.spec(
                        "mkdir " + running + " || exit 9; echo up; sleep 600; rmdir " + running,
                        1,
                        Map.of()));
        InstanceRef first = scheduler.instance(1, 0, 1);
        scheduler.awaitStarted(first, 1);
        await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(running));

        long supervisor = Adoption.examine(root(first)).supervisorPid().orElseThrow();
        ProcessHandle.of(supervisor).orElseThrow().destroyForcibly();

        Report.InstanceFailed lost =
                scheduler.awaitReport(Report.InstanceFailed.class, e -> e.instance().equals(first));
        assertThat(lost.cause()).isEqualTo(FailureCause.INSTANCE_LOST);
        assertThat(Adoption.livingProcesses(root(first))).isEmpty();
        Files.delete(running);
        scheduler.restart(Tier.CONTAINER, Scenario.JOB_FAILED);
        InstanceRef second = scheduler.instance(1, 0, 2);
        scheduler.awaitStarted(second, 1);
        await().atMost(Duration.ofMinutes(1)).until(() -> log(second).contains("up"));
        assertEveryStartHappenedOnce();
    }

    @Test
    void aFailureIsHeardAtOnceAndAgainWithTheExit() throws IOException {
        executor();
        Path gate = data.resolve("gate");
        scheduler.grant(
                Facts.watched(
                        "echo '[muster] step=3'; echo FATAL link down; until [ -e "
                                + gate
                                + " ]; do sleep 0.1; done; exit 7",
                        1,
                        Map.of()));
        InstanceRef only = scheduler.instance(1, 0, 1);
        ProgressRecord.Signal heard = scheduler.awaitSignal(s -> !s.failure().isEmpty());
        assertThat(heard.failure()).isEqualTo("FATAL link down");
        assertThat(heard.step()).isEqualTo(3);
        Files.createFile(gate);
        assertThat(scheduler.awaitExit(only, 1)).isEqualTo(7);
    }

    @Test
    void theNextExecutorReportsAnExitInBetweenAndRestartsInPlace() throws IOException {
        ServiceRunner first = executor();
        Path gate = data.resolve("gate");
        scheduler.grant(
                Facts.spec(
                        "echo start $MA_PROC_START_CNT; [ $MA_PROC_START_CNT = 2 ] && exit 0; until"
                                + " [ -e "
                                + gate
                                + " ]; do sleep 0.1; done; exit 5",
                        1,
                        Map.of()));
        InstanceRef only = scheduler.instance(1, 0, 1);
        scheduler.awaitStarted(only, 1);
        first.close();
        Files.createFile(gate);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> Adoption.examine(root(only)).exitCode(1).isPresent());
        assertThat(scheduler.reports(Report.InstanceExited.class)).isEmpty();

        executor();

        assertThat(scheduler.awaitExit(only, 1)).isEqualTo(5);
        scheduler.restart(Tier.PROCESS, Scenario.JOB_FAILED);
        assertThat(scheduler.awaitExit(only, 2)).isZero();
        assertThat(log(only)).isEqualTo("start 1\nstart 2\n");
        assertEveryStartHappenedOnce();
    }
}
