package dev.muster.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.Report;
import dev.muster.domain.Scenario;
import dev.muster.domain.Tier;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.ServiceRunner;
import dev.muster.testkit.TestDatabase;
import dev.muster.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** An executor is killed in the middle of a restart: the next one ends it, and restarts once. */
class RestartKillIT {

    @TempDir private Path data;
    private TestDatabase database;
    private Settings settings;
    private ServiceRunner shared;
    private ScriptedScheduler scheduler;

    @BeforeEach
    void open() {
        database = TestPostgres.shared().newDatabase();
        settings = TestSettings.of(data, database);
        shared = ServiceRunner.prepare(settings);
        scheduler = new ScriptedScheduler(shared.context());
    }

    @AfterEach
    void close() {
        scheduler.close();
        shared.close();
        database.close();
        TestSettings.killInstances(data);
    }

    @ParameterizedTest
    @CsvSource({
        "PROCESS, executor.order.planned:2",
        "PROCESS, executor.order.given:2",
        "PROCESS, agent.evidence:1",
        "PROCESS, agent.desired:1",
        "PROCESS, agent.exited:1",
        "PROCESS, agent.launchable:1",
        "PROCESS, agent.desired:4",
        "PROCESS, agent.started:3",
        "PROCESS, agent.kept:1",
        "CONTAINER, executor.order.given:3",
        "CONTAINER, agent.synced:1",
        "CONTAINER, agent.gone:1",
        "CONTAINER, agent.planned:1",
        "CONTAINER, agent.prepared:1",
        "CONTAINER, agent.supervisor:2",
        "JOB, agent.gone:2",
        "JOB, executor.attempt.released:1",
        "JOB, executor.attempt.ended:1",
        "JOB, agent.planned:2",
        "JOB, agent.started:3",
    })
    void restartsOnceAfterAKillAt(Tier tier, String failpoint) throws Exception {
        Path starts = Files.createDirectory(data.resolve("starts"));
        scheduler.grant(
                Facts.spec(
                        "touch %s/$VC_TASK_INDEX.$MA_SCHEDULE_CNT.$(date +%%s%%N); sleep 600"
                                .formatted(starts),
                        2,
                        Map.of()));
        try (ExecutorProcess first = ExecutorProcess.start(settings, "")) {
            scheduler.awaitStarted(scheduler.instance(1, 0, 1), 1);
            scheduler.awaitStarted(scheduler.instance(1, 1, 1), 1);
            awaitFiles(starts, 2);
            first.kill();
        }
        try (ExecutorProcess killed = ExecutorProcess.start(settings, failpoint)) {
            scheduler.restart(tier, Scenario.JOB_HANGED);
            assertThat(killed.awaitKilled(60)).as("killed at " + failpoint).isTrue();
        }
        try (ExecutorProcess last = ExecutorProcess.start(settings, "")) {
            List<InstanceRef> next =
                    switch (tier) {
                        case PROCESS ->
                                List.of(scheduler.instance(1, 0, 1), scheduler.instance(1, 1, 1));
                        case CONTAINER ->
                                List.of(scheduler.instance(1, 0, 2), scheduler.instance(1, 1, 2));
                        case JOB ->
                                List.of(scheduler.instance(2, 0, 1), scheduler.instance(2, 1, 1));
                    };
            int number = tier == Tier.PROCESS ? 2 : 1;
            next.forEach(each -> scheduler.awaitStarted(each, number));
            awaitFiles(starts, 4);
            scheduler.finish();
            scheduler.awaitReleased();
            next.forEach(each -> assertThat(scheduler.awaitExit(each, number)).isEqualTo(143));
            last.kill();
        }
        assertOneRestart(starts);
    }

    /** A start is told before its command has done anything. */
    private static void awaitFiles(Path folder, int count) {
        await().atMost(Duration.ofMinutes(1)).until(() -> count(folder) >= count);
    }

    private static long count(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.count();
        }
    }

    /** By what the commands themselves left, and by what their supervisors wrote. */
    private void assertOneRestart(Path starts) throws IOException {
        assertThat(count(starts)).isEqualTo(4);
        List<InstanceRecord> found = InstanceScan.of(data);
        assertThat(found)
                .allSatisfy(each -> {
                    assertThat(each.processStarts()).allMatch(start -> start.starts() == 1);
                    assertThat(each.living()).isEmpty();
                });
        assertThat(found.stream().mapToInt(each -> each.processStarts().size()).sum()).isEqualTo(4);
        assertThat(scheduler.reports(Report.InstanceFailed.class)).isEmpty();
    }
}
