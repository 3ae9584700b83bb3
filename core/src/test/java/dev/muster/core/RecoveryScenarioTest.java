package dev.muster.core;

import static dev.muster.core.TestPool.types;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.Input;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.NodeId;
import dev.muster.domain.RecoveryResult;
import dev.muster.domain.Report;
import dev.muster.domain.RestartPolicy;
import dev.muster.domain.Scenario;
import dev.muster.domain.Spent;
import dev.muster.domain.Tier;
import dev.muster.domain.Watch;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Each budget at its edge, each tier, and what comes in between. */
class RecoveryScenarioTest {

    private final TestPool pool = TestPool.of(3, 4);

    @Test
    void restartsAHungGangInPlaceAndRunsAgain() {
        JobId job = running(restarts(3, false, true), 2);

        List<Event> events = pool.hang(job);

        assertThat(types(events)).containsExactly("JobHanged", "IncidentOpened", "JobRestarting");
        Event.IncidentOpened opened = (Event.IncidentOpened) events.get(1);
        assertThat(opened.instances()).containsExactly(0, 1);
        assertThat(opened.nodes()).isNotEmpty().doesNotHaveDuplicates();
        Event.JobRestarting order = (Event.JobRestarting) events.get(2);
        assertThat(order.tier()).isEqualTo(Tier.PROCESS);
        assertThat(order.incarnation()).isEqualTo(1);
        assertThat(order.processStart()).isEqualTo(2);
        assertThat(pool.job(job).state()).isEqualTo(JobState.RESTARTING);
        assertThat(types(pool.started(job, 0))).containsExactly("InstanceStarted");
        assertThat(types(pool.started(job, 1))).containsExactly("InstanceStarted", "JobRestarted");
        assertThat(pool.job(job).state()).isEqualTo(JobState.RUNNING);
        assertThat(types(pool.finish(job))).endsWith("JobSucceeded");
    }

    @Test
    void recordsAHangThatNobodyAskedToRestartOnce() {
        JobId job = running(RestartPolicy.OFF, 1);

        List<Event> events = pool.hang(job);

        assertThat(types(events)).containsExactly("JobHanged", "IncidentOpened", "IncidentClosed");
        assertThat(result(events)).isEqualTo(RecoveryResult.NOT_RESTARTED);
        assertThat(pool.job(job).state()).isEqualTo(JobState.RUNNING);
        assertThat(types(pool.hang(job))).as("said again").containsExactly("CommandRefused");
    }

    @Test
    void letsAHungJobRunWhoseHangRestartIsOff() {
        JobId job = running(restarts(3, true, false), 1);

        assertThat(result(pool.hang(job))).isEqualTo(RecoveryResult.NOT_RESTARTED);
    }

    @Test
    void climbsProcessContainerJobAndFailsAtTheFourthHangInARow() {
        JobId job = running(restarts(1, false, true), 2);

        assertThat(tier(pool.hang(job))).isEqualTo(Tier.PROCESS);
        pool.restart(job);
        assertThat(tier(pool.hang(job))).isEqualTo(Tier.CONTAINER);
        assertThat(types(pool.restart(job)))
                .containsOnlyOnce("JobStarting")
                .endsWith("JobRestarted");
        assertThat(pool.job(job).instances()).allMatch(i -> i.incarnation() == 2);
        assertThat(tier(pool.hang(job))).isEqualTo(Tier.JOB);
        assertThat(types(pool.restart(job)))
                .containsSubsequence(
                        "GangReleased", "JobQueued", "GangGranted", "JobStarted", "JobRestarted");
        assertThat(pool.job(job).attempt()).isEqualTo(2);
        assertThat(pool.job(job).recovery().spent()).isEqualTo(new Spent(0, 0, 3));

        List<Event> fourth = pool.hang(job);

        assertThat(types(fourth))
                .containsExactly("JobHanged", "IncidentOpened", "IncidentClosed", "JobFinishing");
        assertThat(result(fourth)).isEqualTo(RecoveryResult.QUOTA_EXCEEDED);
        Event.JobFinishing end = (Event.JobFinishing) fourth.getLast();
        assertThat(end.cause()).isEqualTo(FailureCause.HANG);
        assertThat(end.message()).contains("all 3 restarts after hangs in a row are used");
    }

    @Test
    void startsTheLadderAndWhatIsInARowAnewAfterProgress() {
        JobId job = running(restarts(1, false, true), 1);
        for (int hangs = 0; hangs < 5; hangs++) {
            assertThat(tier(pool.hang(job))).isEqualTo(Tier.PROCESS);
            pool.restart(job);
            assertThat(types(pool.progress(job))).containsExactly("RecoveryReset");
            assertThat(types(pool.progress(job))).containsExactly("InputsAbsorbed");
        }
        assertThat(pool.job(job).recovery().spent()).isEqualTo(Spent.NONE);
    }

    @Test
    void endsTheJobOnAUserErrorWithoutUnconditionalRestart() {
        JobId job = running(restarts(3, false, true), 1);

        assertThat(types(pool.exited(job, 0, 1)))
                .containsExactly("InstanceExited", "IncidentOpened", "VerdictAwaited");
        List<Event> verdict = pool.verdict(job, Scenario.JOB_FAILED, false);

        assertThat(types(verdict)).containsExactly("IncidentClosed", "JobFinishing");
        assertThat(result(verdict)).isEqualTo(RecoveryResult.FAILED);
        Event.JobFinishing end = (Event.JobFinishing) verdict.getLast();
        assertThat(end.cause()).isEqualTo(FailureCause.EXIT_CODE);
        assertThat(end.message()).isEqualTo("instance 0 ended with code 1");
    }

    @Test
    void judgesAnExitByItsCodeWhenNoVerdictComes() {
        JobId job = running(restarts(3, false, false), 2);
        pool.exited(job, 0, 137);
        long until = pool.now + CoreSettings.DEFAULT.recovery().classifyMillis();
        assertThat(pool.core.nextDeadlineMillis()).isEqualTo(until);

        pool.now = until - 1;
        assertThat(pool.tick()).isEmpty();
        pool.now = until;

        assertThat(types(pool.tick())).containsExactly("IncidentClosed", "JobFinishing");
        assertThat(types(pool.verdict(job, Scenario.JOB_FAILED, true)))
                .as("too late")
                .containsExactly("CommandRefused");
    }

    @Test
    void waitsLongerForAVerdictAfterAnOutage() {
        JobId job = running(restarts(3, false, false), 1);
        pool.exited(job, 0, 137);
        long exited = pool.now;

        pool.now = exited + 90_000;
        pool.decide(List.of(new Input.OutageEnded(exited + 1000, pool.now)));

        assertThat(pool.job(job).state()).isEqualTo(JobState.RUNNING);
        assertThat(tier(pool.verdict(job, Scenario.JOB_FAILED, true))).isEqualTo(Tier.PROCESS);
    }

    @Test
    void countsContainerAndJobRestartsAgainstTheMaximumAndProcessRestartsNot() {
        JobId job = running(restarts(2, false, false), 1);

        assertThat(environmentFault(job)).isEqualTo(Tier.PROCESS);
        assertThat(pool.job(job).recovery().spent()).isEqualTo(Spent.NONE);
        pool.restart(job);
        assertThat(environmentFault(job)).isEqualTo(Tier.CONTAINER);
        pool.restart(job);
        assertThat(environmentFault(job)).isEqualTo(Tier.JOB);
        pool.restart(job);
        assertThat(pool.job(job).recovery().spent()).isEqualTo(new Spent(2, 0, 0));

        pool.exited(job, 0, 3);
        List<Event> third = pool.verdict(job, Scenario.ERROR_IN_LOG, true);

        assertThat(result(third)).isEqualTo(RecoveryResult.QUOTA_EXCEEDED);
        Event.JobFinishing end = (Event.JobFinishing) third.getLast();
        assertThat(end.cause()).isEqualTo(FailureCause.ERROR_IN_LOG);
        assertThat(end.message())
                .isEqualTo(
                        "instance 0 ended with code 3;"
                                + " all 2 restarts (recovery.maxRestarts) are used");
        assertThat(types(pool.gone(job, 0))).endsWith("JobFailed");
    }

    @Test
    void keepsTheMaximumSpentAfterAReset() {
        JobId job = running(restarts(1, false, false), 1);
        pool.gone(job, 0);
        pool.restart(job);
        pool.progress(job);

        List<Event> second = pool.gone(job, 0);

        assertThat(result(second)).isEqualTo(RecoveryResult.QUOTA_EXCEEDED);
        assertThat(types(second)).as("nothing of it is left").endsWith("JobFailed");
    }

    @Test
    void restartsUnconditionallyThreeTimesInARowAndCountsEachOfThem() {
        JobId job = running(restarts(128, true, false), 1);
        for (int i = 0; i < 3; i++) {
            pool.exited(job, 0, 1);
            tier(pool.verdict(job, Scenario.JOB_FAILED, false));
            pool.restart(job);
        }
        assertThat(pool.job(job).recovery().spent()).isEqualTo(new Spent(3, 3, 0));

        pool.exited(job, 0, 1);
        List<Event> fourth = pool.verdict(job, Scenario.JOB_FAILED, false);

        assertThat(((Event.JobFinishing) fourth.getLast()).message())
                .contains("all 3 unconditional restarts in a row are used");
    }

    @Test
    void countsUnconditionalRestartsAgainstTheMaximumAtEveryTier() {
        JobId job = running(restarts(1, true, false), 1);
        pool.exited(job, 0, 1);
        assertThat(tier(pool.verdict(job, Scenario.JOB_FAILED, false))).isEqualTo(Tier.PROCESS);
        pool.restart(job);
        pool.exited(job, 0, 1);

        assertThat(result(pool.verdict(job, Scenario.JOB_FAILED, false)))
                .isEqualTo(RecoveryResult.QUOTA_EXCEEDED);
    }

    @Test
    void replacesTheContainersOfAGangThatLostAnInstanceAtOnce() {
        JobId job = running(restarts(3, false, false), 2);

        List<Event> events = pool.gone(job, 1);

        assertThat(types(events))
                .containsExactly("InstanceGone", "IncidentOpened", "JobRestarting");
        assertThat(tier(events)).isEqualTo(Tier.CONTAINER);
        assertThat(types(pool.prepared(job, 0))).containsExactly("InstancePrepared");
        assertThat(types(pool.prepared(job, 1))).containsExactly("InstancePrepared", "JobStarting");
        assertThat(pool.job(job).state()).isEqualTo(JobState.RESTARTING);
    }

    @Test
    void placesTheGangAnewWhereANodeIsNotReady() {
        JobId job = running(restarts(3, false, true), 1);
        pool.ready(pool.job(job).placements().getFirst().node().value(), false);
        NodeId broken = pool.job(job).placements().getFirst().node();

        assertThat(tier(pool.hang(job))).isEqualTo(Tier.JOB);
        pool.restart(job);

        assertThat(pool.job(job).placements().getFirst().node()).isNotEqualTo(broken);
    }

    @Test
    void climbsWithinOneIncidentWhenARestartDoesNotComeUp() {
        JobId job = running(restarts(3, false, true), 2);
        pool.hang(job);

        List<Event> failed =
                pool.send(
                        new Report.InstanceFailed(
                                0, pool.instance(job, 0), FailureCause.INSTANCE_LOST, "lost"));

        assertThat(types(failed)).containsExactly("JobRestarting");
        assertThat(tier(failed)).isEqualTo(Tier.CONTAINER);
        assertThat(tier(pool.gone(job, 1))).isEqualTo(Tier.JOB);
        assertThat(types(pool.restart(job))).endsWith("JobRestarted");
        assertThat(pool.job(job).recovery().incidents()).isEqualTo(1);
        assertThat(pool.job(job).recovery().spent()).isEqualTo(new Spent(2, 0, 1));
    }

    @Test
    void awaitsAVerdictOnAnExitWhileItRestarts() {
        JobId job = running(restarts(3, false, true), 2);
        pool.hang(job);
        pool.started(job, 0);

        assertThat(types(pool.exited(job, 0, 1)))
                .containsExactly("InstanceExited", "VerdictAwaited");
        assertThat(types(pool.started(job, 1)))
                .as("not restarted while one has ended badly")
                .containsExactly("InstanceStarted");
        assertThat(types(pool.verdict(job, Scenario.JOB_FAILED, false)))
                .containsExactly("IncidentClosed", "JobFinishing");
    }

    @Test
    void endsAJobWhoseInputsCannotBeHad() {
        Ask ask = pool.gang(1, 1000).withRecovery(restarts(3, true, true), false, Watch.DEFAULT);
        JobId job = pool.submitted(ask);

        List<Event> events =
                pool.send(
                        new Report.InstanceFailed(
                                0, pool.instance(job, 0), FailureCause.PREPARATION, "no input"));

        assertThat(types(events))
                .containsExactly("IncidentOpened", "IncidentClosed", "JobFinishing");
        assertThat(result(events)).isEqualTo(RecoveryResult.FAILED);
    }

    @Test
    void S19_refusesVerdictsOfOldCounters() {
        JobId job = running(restarts(3, false, true), 1);
        Command old =
                new Command.ReportIncident("i", job, 1, 1, 1, Scenario.JOB_HANGED, false, -1, "");
        pool.hang(job);
        pool.restart(job);

        assertThat(types(pool.send(old))).containsExactly("CommandRefused");
        assertThat(types(pool.send(new Command.ReportProgress("p", job, 1, 1, 1))))
                .containsExactly("CommandRefused");
        InstanceRef instance = pool.instance(job, 0);
        assertThat(types(pool.send(new Report.InstanceExited(0, instance, 1, 134))))
                .as("the process that was killed")
                .containsExactly("InputsAbsorbed");
        assertThat(pool.job(job).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void stopsAGangThatRestartsAndSaysWhatBecameOfTheIncident() {
        JobId job = running(restarts(3, false, true), 1);
        pool.hang(job);

        List<Event> events = pool.stop(job);

        assertThat(types(events)).containsExactly("IncidentClosed", "JobStopping");
        assertThat(result(events)).isEqualTo(RecoveryResult.TERMINATED);
        assertThat(types(pool.gone(job, 0))).endsWith("JobStopped");
    }

    @Test
    void stopsAGangThatWaitsForItsNextAttempt() {
        JobId job = running(restarts(3, false, true), 1);
        pool.send(new Command.CordonNode("c", node(job), "ops"));
        pool.ready(node(job).value(), false);
        pool.send(new Command.CordonNode("c", new NodeId("node-1"), "ops"));
        pool.send(new Command.CordonNode("c", new NodeId("node-2"), "ops"));
        pool.hang(job);
        pool.gone(job, 0);
        assertThat(pool.job(job).state()).isEqualTo(JobState.QUEUED);

        assertThat(types(pool.stop(job))).containsExactly("IncidentClosed", "JobStopped");
    }

    @Test
    void preemptsAJobThatAllowsItAndKeepsItsPlaceInTheQueue() {
        Ask ask = pool.gang(3, 4000).withRecovery(RestartPolicy.OFF, true, Watch.DEFAULT);
        JobId job = pool.submitted(ask);
        pool.run(job);
        JobId younger = pool.submitted(pool.gang(3, 4000));

        assertThat(types(pool.preempt(job))).containsExactly("JobPreempted");
        assertThat(types(pool.preempt(job))).containsExactly("CommandRefused");
        assertThat(types(pool.allGone(job))).endsWith("GangReleased", "JobQueued", "GangGranted");
        assertThat(pool.job(job).attempt()).isEqualTo(2);
        assertThat(pool.job(younger).state()).isEqualTo(JobState.QUEUED);
    }

    @Test
    void refusesToPreemptWhatMayNotBe() {
        JobId job = running(restarts(3, false, true), 1);

        Event.CommandRefused refused = (Event.CommandRefused) pool.preempt(job).getFirst();

        assertThat(refused.reason()).contains("is not preemptible");
        assertThat(types(pool.preempt(new JobId(1, 1)))).containsExactly("CommandRefused");
    }

    @Test
    void closesTheIncidentOfAGangThatIsPreempted() {
        Ask ask = pool.gang(1, 1000).withRecovery(restarts(3, false, true), true, Watch.DEFAULT);
        JobId job = pool.submitted(ask);
        pool.run(job);
        pool.hang(job);

        assertThat(types(pool.preempt(job))).containsExactly("IncidentClosed", "JobPreempted");
    }

    @Test
    void givesTheNodesBackThoughEveryInstanceWasGoneBeforeTheEndWasDecided() {
        JobId job = running(restarts(3, false, false), 1);
        pool.exited(job, 0, 1);
        assertThat(types(pool.gone(job, 0))).containsExactly("InstanceGone");

        assertThat(types(pool.verdict(job, Scenario.JOB_FAILED, false)))
                .containsExactly("IncidentClosed", "JobFinishing", "GangReleased", "JobFailed");
    }

    @Test
    void doesNotCountARestartAsRunningTime() {
        Ask ask =
                pool.ask(1, 1, 1000, 60)
                        .withRecovery(restarts(3, false, true), false, Watch.DEFAULT);
        JobId job = pool.submitted(ask);
        pool.run(job);
        pool.now += 50_000;
        pool.hang(job);
        pool.now += 50_000;
        assertThat(pool.tick()).isEmpty();
        pool.restart(job);
        pool.now += 9_999;
        assertThat(pool.tick()).isEmpty();
        pool.now += 1;
        assertThat(types(pool.tick())).containsExactly("JobStopping");
    }

    @Test
    void keepsEvidenceAfterTheCountersMovedOnWhileTheAttemptLives() {
        JobId job = running(restarts(3, false, true), 1);
        InstanceRef hung = pool.instance(job, 0);
        pool.hang(job);
        Report kept = new Report.EvidenceKept(0, hung, 1, 1, "evidence/x");

        assertThat(types(pool.send(kept))).containsExactly("EvidenceKept");
        assertThat(types(pool.send(kept))).containsExactly("InputsAbsorbed");
        pool.restart(job);
        assertThat(types(pool.send(new Report.EvidenceKept(0, hung, 1, 2, "evidence/y"))))
                .as("of no known incident")
                .containsExactly("InputsAbsorbed");
        pool.finish(job);
        assertThat(types(pool.send(kept))).containsExactly("InputsAbsorbed");
    }

    @Test
    void S16_knowsTheSameAfterARestartOfTheScheduler() {
        List<JobId> jobs = new ArrayList<>();
        jobs.add(running(restarts(3, false, true), 1));
        jobs.add(running(restarts(3, true, true), 1));
        pool.hang(jobs.get(0));
        pool.exited(jobs.get(1), 0, 9);
        byte[] before = pool.core.stateHash();
        long deadline = pool.core.nextDeadlineMillis();

        pool.core = PoolCore.load(pool.core.snapshot(), CoreSettings.DEFAULT);

        assertThat(pool.core.stateHash()).isEqualTo(before);
        assertThat(pool.core.nextDeadlineMillis()).isEqualTo(deadline);
        assertThat(types(pool.restart(jobs.get(0)))).endsWith("JobRestarted");
        assertThat(tier(pool.verdict(jobs.get(1), Scenario.JOB_FAILED, false)))
                .isEqualTo(Tier.PROCESS);
    }

    private NodeId node(JobId job) {
        return pool.job(job).placements().getFirst().node();
    }

    private Tier environmentFault(JobId job) {
        pool.exited(job, 0, 137);
        return tier(pool.verdict(job, Scenario.JOB_FAILED, true));
    }

    private JobId running(RestartPolicy policy, int instances) {
        Ask ask = pool.gang(instances, 1000).withRecovery(policy, false, Watch.DEFAULT);
        JobId job = pool.submitted(ask);
        pool.run(job);
        return job;
    }

    private static RestartPolicy restarts(int most, boolean unconditional, boolean onHang) {
        return new RestartPolicy(true, most, unconditional, onHang);
    }

    private static Tier tier(List<Event> events) {
        return events.stream()
                .filter(Event.JobRestarting.class::isInstance)
                .map(event -> ((Event.JobRestarting) event).tier())
                .findFirst()
                .orElseThrow();
    }

    private static RecoveryResult result(List<Event> events) {
        return events.stream()
                .filter(Event.IncidentClosed.class::isInstance)
                .map(event -> ((Event.IncidentClosed) event).result())
                .findFirst()
                .orElseThrow();
    }
}
