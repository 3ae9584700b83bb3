package dev.muster.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.Command.ReportIncident;
import dev.muster.domain.Command.ReportProgress;
import dev.muster.domain.Event;
import dev.muster.domain.Message;
import dev.muster.domain.Scenario;
import dev.muster.domain.Tier;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class VerdictsTest {

    private static final long WINDOW = 600_000;

    private final LiveJobs jobs = Jobs.running();
    private final List<Message> said = new ArrayList<>();
    private final Verdicts verdicts =
            new Verdicts(WINDOW, said::add, new MonitorMetrics(new SimpleMeterRegistry()));

    private LiveJob job() {
        return java.util.Objects.requireNonNull(jobs.get(Jobs.JOB));
    }

    private void bothSilent(int processStart, long runMillis, long silentMillis) {
        job().saw(Jobs.signal(0, processStart, runMillis, silentMillis, ""));
        job().saw(Jobs.signal(1, processStart, runMillis, silentMillis, ""));
    }

    @Test
    void aHangIsSaidOnceAndAgainOfTheNextProcessStart() {
        bothSilent(1, Jobs.STARTUP, Jobs.THRESHOLD);
        verdicts.look(job());
        verdicts.look(job());
        jobs.apply(Jobs.restarting(Tier.PROCESS, 1, 2));
        jobs.apply(new Event.JobRestarted(Jobs.JOB, Jobs.PROJECT, 1, 1, Tier.PROCESS));
        bothSilent(2, Jobs.STARTUP, Jobs.THRESHOLD);
        verdicts.look(job());

        assertThat(said)
                .extracting(each -> ((ReportIncident) each).commandId())
                .containsExactly(
                        "incident-%s-1-1-1-JOB_HANGED".formatted(Jobs.JOB),
                        "incident-%s-1-1-2-JOB_HANGED".formatted(Jobs.JOB));
    }

    @Test
    void theFirstExitOfAGangIsTheOneThatIsClassified() {
        job().saw(Jobs.signal(1, 1, 1000, 10, "CUDA error: out of memory"));
        jobs.apply(Jobs.exited(1, 1, 1));
        jobs.apply(Jobs.exited(0, 1, 137));
        verdicts.exited(job(), 1);
        verdicts.exited(job(), 0);

        assertThat(said).hasSize(1);
        ReportIncident verdict = (ReportIncident) said.getFirst();
        assertThat(verdict.scenario()).isEqualTo(Scenario.ERROR_IN_LOG);
        assertThat(verdict.environment()).isTrue();
        assertThat(verdict.index()).isEqualTo(1);
    }

    @Test
    void anEndWithoutAnErrorIsNoIncident() {
        jobs.apply(Jobs.exited(0, 1, 0));
        verdicts.exited(job(), 0);

        assertThat(said).isEmpty();
    }

    @Test
    void progressForTheWholeWindowIsSaidOnceOfARestartedJob() {
        bothSilent(1, WINDOW, 1000);
        verdicts.look(job());
        assertThat(said).as("it was never restarted").isEmpty();

        jobs.apply(Jobs.restarting(Tier.PROCESS, 1, 2));
        jobs.apply(new Event.JobRestarted(Jobs.JOB, Jobs.PROJECT, 1, 1, Tier.PROCESS));
        bothSilent(2, WINDOW - 1, 1000);
        verdicts.look(job());
        assertThat(said).as("the window is not over").isEmpty();

        bothSilent(2, WINDOW, 1000);
        verdicts.look(job());
        verdicts.look(job());
        assertThat(said)
                .containsExactly(
                        new ReportProgress(
                                "progress-%s-1-1-2".formatted(Jobs.JOB), Jobs.JOB, 1, 1, 2));
    }

    @Test
    void anExitThatFollowsFromAnotherInstancesFailureIsNotTheUsersFault() {
        job().saw(Jobs.signal(1, 1, 1000, 10, "NCCL timeout"));
        jobs.apply(Jobs.exited(0, 1, 1));
        verdicts.exited(job(), 0);

        ReportIncident verdict = (ReportIncident) said.getFirst();
        assertThat(verdict.environment()).isTrue();
        assertThat(verdict.index()).isEqualTo(1);
        assertThat(verdict.message()).contains("NCCL timeout");
    }

    @Test
    void aSignalThatOvertakesItsFactCountsOnceThatHasCome() {
        job().saw(Jobs.signal(0, 2, 1000, 10, "NCCL timeout"));
        job().saw(Jobs.signal(0, 2, 2000, 10, ""));
        jobs.apply(Jobs.restarting(Tier.PROCESS, 1, 2));
        jobs.apply(Jobs.exited(0, 2, 1));
        verdicts.exited(job(), 0);

        assertThat(((ReportIncident) said.getFirst()).scenario()).isEqualTo(Scenario.ERROR_IN_LOG);
    }
}
