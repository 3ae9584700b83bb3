package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.ServiceRunner;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

class SchedulerIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Servers servers = new Servers();
    private final Settings settings = servers.settings();
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
    void takesJobsToTheirEndAndReplaysToTheSameState() throws InterruptedException {
        SchedulerService scheduler = new SchedulerService();
        around.start(scheduler);
        List<JobId> jobs = submit(100);
        awaitEnd(jobs);

        JournalReplay.Result replay = replay();
        assertThat(replay.findings()).isEmpty();
        assertThat(replay.jobsByState()).containsOnlyKeys(JobState.SUCCEEDED);
        assertThat(replay.starts()).hasSize(100).allSatisfy((_, n) -> assertThat(n).isEqualTo(1));
        await().atMost(PATIENCE).until(() -> workload.seen().size() == replay.seq());
        assertThat(workload.holes()).isZero();
        assertThat(redecide()).isEmpty();
    }

    private List<JobId> submit(int count) {
        List<JobId> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            jobs.add(workload.submit(1));
        }
        return jobs;
    }

    private void awaitEnd(List<JobId> jobs) {
        await().atMost(PATIENCE).until(() -> workload.ended().keySet().containsAll(jobs));
    }

    private JournalReplay.Result replay() throws InterruptedException {
        return new JournalReplay(around.context().database(), Workload.POOL).run();
    }

    private List<String> redecide() throws InterruptedException {
        return new JournalReplay(around.context().database(), Workload.POOL).redecide();
    }
}
