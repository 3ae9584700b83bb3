package dev.muster.core;

import static dev.muster.core.TestPool.types;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.recovery.RecoverySettings;
import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.Input;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.NodeId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.Report;
import dev.muster.domain.WaitReason;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

class ScenarioTest {

    private final TestPool pool = TestPool.of(3, 4);

    @Test
    void tellsTheWholeLifeOfAGang() {
        Ask ask = pool.gang(2, 4000);
        JobId job = ask.job();

        assertThat(types(pool.submit(ask)))
                .containsExactly("JobSubmitted", "JobQueued", "GangGranted");
        assertThat(types(pool.prepared(job, 0))).containsExactly("InstancePrepared");
        assertThat(types(pool.prepared(job, 1))).containsExactly("InstancePrepared", "JobStarting");
        assertThat(types(pool.started(job, 1))).containsExactly("InstanceStarted");
        assertThat(types(pool.started(job, 0))).containsExactly("InstanceStarted", "JobStarted");
        assertThat(types(pool.exited(job, 0, 0))).containsExactly("InstanceExited");
        assertThat(types(pool.exited(job, 1, 0))).containsExactly("InstanceExited", "JobFinishing");
        assertThat(types(pool.gone(job, 0))).containsExactly("InstanceGone");
        assertThat(types(pool.gone(job, 1)))
                .containsExactly("InstanceGone", "GangReleased", "JobSucceeded");
        assertThat(pool.core.job(job)).isNull();
    }

    @Test
    void S02_saysAtOnceThatAGangNeverFitsAndBlocksNobody() {
        Ask giant = pool.ask(3, 4, 4000, 0);

        WaitReason reason = ((Event.JobQueued) pool.submit(giant).get(1)).reason();

        assertThat(reason.sentence())
                .isEqualTo(
                        "never fits: needs 16 accelerators of Ascend910 in pool public,"
                                + " which has at most 12");
        assertThat(types(pool.submit(pool.gang(3, 4000)))).contains("GangGranted");
        assertThat(pool.job(giant.job()).state()).isEqualTo(JobState.QUEUED);
    }

    @Test
    void S02_triesAGangThatNeverFittedWhenThePoolHasGrown() {
        Ask giant = pool.gang(4, 4000);
        pool.submit(giant);

        List<Event> events = pool.node("node-3", 4);

        assertThat(types(events)).containsExactly("NodeDeclared", "GangGranted");
    }

    @Test
    void S02_countsNodesThatAreNotReadyOrCordonedAsCapacity() {
        pool.ready("node-0", false);
        pool.send(new Command.CordonNode("c", new NodeId("node-1"), "ann"));
        Ask ask = pool.gang(3, 4000);

        assertThat(types(pool.submit(ask)))
                .containsExactly("JobSubmitted", "JobQueued", "JobWaiting");
        assertThat(types(pool.ready("node-0", true))).containsExactly("NodeReadinessChanged");
        assertThat(types(pool.send(new Command.UncordonNode("u", new NodeId("node-1"), "ann"))))
                .containsExactly("NodeUncordoned", "GangGranted");
    }

    @Test
    void S02_namesWhatNoNodeHas() {
        assertThat(reasonOf(pool.submit(pool.gang(1, 8000))).sentence())
                .isEqualTo(
                        "never fits: needs 8 accelerators of Ascend910 on one node in pool public,"
                                + " which has at most 4");
    }

    @Test
    void S03_admitsInOneCycleAllThatFit() {
        List<Input> batch = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            Command submit = TestPool.submission(pool.gang(1, 1000));
            batch.add(new Input.Delivered(TestPool.LANE, i + 100, submit));
        }

        assertThat(types(pool.decide(batch)).stream().filter("GangGranted"::equals)).hasSize(12);
        assertThat(pool.core.count(JobState.QUEUED)).isEqualTo(3);
    }

    @Test
    void S12_runsExactlyOneOfTwoGangsThatEachNeedTwoThirds() {
        JobId first = pool.submitted(pool.gang(2, 4000));
        JobId second = pool.submitted(pool.gang(2, 4000));

        assertThat(pool.job(first).state()).isEqualTo(JobState.PREPARING);
        assertThat(pool.job(second).state()).isEqualTo(JobState.QUEUED);
        assertThat(pool.job(second).placements()).isEmpty();
        pool.run(first);
        assertThat(types(pool.finish(first)))
                .containsExactly("InstanceGone", "GangReleased", "JobSucceeded", "GangGranted");
        assertThat(pool.job(second).placements()).hasSize(2);
    }

    @Test
    void S15_givesTheGrantBackOnlyWhenEveryInstanceIsGone() {
        JobId job = pool.submitted(pool.gang(2, 4000));
        JobId waiting = pool.submitted(pool.gang(3, 4000));
        assertThat(types(pool.stop(job))).containsExactly("JobStopping");

        pool.gone(job, 0);
        assertThat(used()).isEqualTo(8000);
        pool.gone(job, 1);

        assertThat(pool.core.job(job)).isNull();
        assertThat(pool.job(waiting).state()).isEqualTo(JobState.PREPARING);
        assertThat(used()).isEqualTo(12_000);
    }

    @Test
    void S16_knowsTheSameAfterARestart() {
        JobId running = pool.submitted(pool.gang(2, 4000));
        pool.run(running);
        pool.exited(running, 0, 0);
        pool.submitted(pool.gang(2, 4000));
        byte[] before = pool.core.stateHash();

        pool.core = PoolCore.load(pool.core.snapshot(), CoreSettings.DEFAULT);

        assertThat(pool.core.stateHash()).isEqualTo(before);
        assertThat(pool.tick()).as("a gang that did not fit is not granted twice").isEmpty();
        assertThat(used()).isEqualTo(8000);
    }

    @Test
    void S19_dropsWhatArrivesAfterTheEnd() {
        JobId job = pool.submitted(pool.gang(1, 1000));
        InstanceRef instance = pool.instance(job, 0);
        pool.prepared(job, 0);
        pool.stop(job);

        assertThat(types(pool.started(job, 0)))
                .as("that it started is a fact, the job still stops")
                .containsExactly("InstanceStarted");
        assertThat(pool.job(job).state()).isEqualTo(JobState.STOPPING);
        pool.gone(job, 0);
        assertThat(types(pool.send(new Report.InstanceStarted(0, instance, 1))))
                .containsExactly("InputsAbsorbed");
        assertThat(pool.core.counters().stale()).isEqualTo(1);
    }

    @Test
    void S19_fencesAnExecutorThatLostItsShard() {
        JobId job = pool.submitted(pool.gang(1, 1000));
        pool.send(new Report.ShardTaken(2, "executor-b"));

        assertThat(types(pool.prepared(job, 0))).containsExactly("InputsAbsorbed");
        assertThat(types(pool.send(new Report.InstancePrepared(2, pool.instance(job, 0)))))
                .containsExactly("InstancePrepared", "JobStarting");
    }

    @Test
    void S22_takesAJobOnceHoweverOftenItIsSubmitted() {
        Ask ask = pool.gang(1, 1000);
        pool.submit(ask);

        assertThat(types(pool.submit(ask))).containsExactly("InputsAbsorbed");
        assertThat(pool.job(ask.job()).attempt()).isEqualTo(1);
    }

    @Test
    void S22_endsOnceHoweverOftenTheEndIsReported() {
        JobId job = pool.submitted(pool.gang(1, 1000));
        InstanceRef instance = pool.instance(job, 0);
        pool.run(job);
        pool.finish(job);

        assertThat(types(pool.send(new Report.InstanceGone(0, instance))))
                .containsExactly("InputsAbsorbed");
        assertThat(types(pool.stop(job))).containsExactly("CommandRefused");
    }

    @Test
    void S20_doesNotCountAnOutageAsRunningTime() {
        JobId job = pool.submitted(pool.ask(1, 1, 1000, 3600));
        pool.run(job);
        long started = pool.now;

        pool.now = started + 3_600_000;
        assertThat(types(pool.decide(List.of(new Input.OutageEnded(started + 1000, pool.now)))))
                .containsExactly("OutageObserved");
        pool.now += 3_598_999;
        assertThat(pool.tick()).isEmpty();
        pool.now += 1;
        assertThat(types(pool.tick())).containsExactly("JobStopping");
        assertThat(types(pool.gone(job, 0)))
                .containsExactly("InstanceGone", "GangReleased", "JobStopped");
    }

    @Test
    void S23_namesConstraintScopeAndAmountShortOncePerKind() {
        pool.submit(pool.gang(2, 4000));
        List<Event> events = pool.submit(pool.gang(2, 4000));

        WaitReason reason = ((Event.JobWaiting) events.getLast()).reason();
        assertThat(reason.sentence())
                .isEqualTo("needs 8 accelerators of Ascend910 in pool public, of which 4 are free");
        assertThat(types(pool.submit(pool.gang(1, 4000)))).contains("GangGranted");
        assertThat(pool.tick()).isEmpty();
    }

    @Test
    void S29_triesPerKindOfGangNotPerJobAndOnlyWhereRoomCameFree() {
        JobId running = pool.submitted(pool.gang(3, 4000));
        pool.run(running);
        List<Input> batch = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            Command submit = TestPool.submission(pool.gang(1 + i % 3, i % 2 == 0 ? 1000 : 2000));
            batch.add(new Input.Delivered(TestPool.LANE, i + 1000, submit));
        }
        long before = pool.core.counters().attempts();
        pool.decide(batch);
        assertThat(pool.core.counters().attempts() - before).isEqualTo(6);

        assertThat(pool.tick()).isEmpty();
        pool.exited(running, 0, 0);
        pool.send(new Command.CordonNode("c", new NodeId("node-2"), "ann"));
        assertThat(pool.core.counters().attempts() - before).as("nothing came free").isEqualTo(6);
        assertThat(pool.core.moreToDo()).isFalse();
    }

    @Test
    void goesOnWithTheNextTickWhereACycleReachedItsBound() {
        pool.core =
                PoolCore.load(
                        pool.core.snapshot(), new CoreSettings(4, 64, RecoverySettings.DEFAULT));
        List<Input> batch = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Command submit = TestPool.submission(pool.gang(1, 1000));
            batch.add(new Input.Delivered(TestPool.LANE, i + 1000, submit));
        }
        int granted = 0;
        int told = 0;
        List<Event> events = pool.decide(batch);
        while (!events.isEmpty()) {
            granted += Collections.frequency(types(events), "GangGranted");
            told += Collections.frequency(types(events), "JobWaiting");
            events = pool.tick();
        }
        assertThat(granted).isEqualTo(12);
        assertThat(told).isEqualTo(8);
        assertThat(pool.core.moreToDo()).isFalse();
    }

    @Test
    void placesHigherPriorityFirstThenAge() {
        JobId blocker = pool.submitted(pool.gang(3, 4000));
        JobId low = pool.submitted(pool.ask(1, 3, 4000, 0));
        JobId high = pool.submitted(pool.ask(3, 3, 4000, 0));
        JobId high2 = pool.submitted(pool.ask(3, 3, 4000, 0));
        pool.run(blocker);
        pool.finish(blocker);
        assertThat(pool.job(high).state()).isEqualTo(JobState.PREPARING);
        pool.run(high);
        pool.finish(high);
        assertThat(pool.job(high2).state()).isEqualTo(JobState.PREPARING);
        assertThat(pool.job(low).state()).isEqualTo(JobState.QUEUED);
    }

    @Test
    void failsTheJobWhenAnInstanceEndsBadlyAndNamesIt() {
        JobId job = pool.submitted(pool.gang(2, 1000));
        pool.run(job);

        Event.JobFinishing finishing = (Event.JobFinishing) pool.exited(job, 1, 137).getLast();
        assertThat(finishing.cause()).isEqualTo(FailureCause.EXIT_CODE);
        assertThat(finishing.message()).isEqualTo("instance 1 ended with code 137 (signal 9)");
        assertThat(types(pool.exited(job, 0, 143))).containsExactly("InstanceExited");
        pool.gone(job, 1);
        assertThat(types(pool.gone(job, 0)))
                .containsExactly("InstanceGone", "GangReleased", "JobFailed");
    }

    @Test
    void failsTheJobWhenItsFinalSyncFails() {
        JobId job = pool.submitted(pool.gang(1, 1000));
        pool.run(job);
        pool.exited(job, 0, 0);

        Report failed =
                new Report.InstanceFailed(
                        0, pool.instance(job, 0), FailureCause.OUTPUT_SYNC, "disk full");
        assertThat(types(pool.send(failed))).containsExactly("JobFinishing");
        assertThat(types(pool.send(failed))).as("sent again").contains("NoticeRecorded");
        Event.JobFailed end = (Event.JobFailed) pool.gone(job, 0).getLast();
        assertThat(end.cause()).isEqualTo(FailureCause.OUTPUT_SYNC);
    }

    @Test
    void takesAnExitAsProofOfTheStart() {
        JobId job = pool.submitted(pool.gang(1, 1000));
        pool.prepared(job, 0);

        assertThat(types(pool.exited(job, 0, 0)))
                .containsExactly("InstanceStarted", "JobStarted", "InstanceExited", "JobFinishing");
    }

    @Test
    void failsTheJobWhenAnInstanceVanishes() {
        JobId job = pool.submitted(pool.gang(2, 1000));
        pool.run(job);

        assertThat(types(pool.gone(job, 0))).containsExactly("InstanceGone", "JobFinishing");
        Event.JobFailed end = (Event.JobFailed) pool.gone(job, 1).getLast();
        assertThat(end.cause()).isEqualTo(FailureCause.INSTANCE_LOST);
        assertThat(end.message()).isEqualTo("instance 0 is gone without an exit");
    }

    @Test
    void failsAJobThatCouldNotBePublished() {
        JobId job = new JobId(1, 2);

        assertThat(types(pool.send(new Command.Unpublishable(job, new ProjectId("p"), "too big"))))
                .containsExactly("JobFailed");
        assertThat(pool.core.job(job)).isNull();
    }

    @Test
    void stopsAWaitingJobAtOnceAndRefusesToStopTwice() {
        pool.submit(pool.gang(3, 4000));
        JobId waiting = pool.submitted(pool.gang(3, 4000));

        assertThat(types(pool.stop(waiting))).containsExactly("JobStopped");
        JobId running = pool.core.snapshot().jobs().getFirst().ask().job();
        assertThat(types(pool.stop(running))).containsExactly("JobStopping");
        assertThat(types(pool.stop(running))).containsExactly("CommandRefused");
        assertThat(types(pool.send(new Command.CordonNode("c", new NodeId("nowhere"), "ann"))))
                .containsExactly("CommandRefused");
    }

    @Test
    void fillsStartedNodesAndDevicesFirst() {
        JobId two = pool.submitted(pool.gang(1, 2000));
        JobId one = pool.submitted(pool.gang(1, 1000));
        JobId half = pool.submitted(pool.gang(1, 500));
        JobId quarter = pool.submitted(pool.gang(1, 250));
        JobId whole = pool.submitted(pool.gang(1, 4000));

        NodeId node = pool.job(two).placements().getFirst().node();
        assertThat(pool.job(one).placements().getFirst().node()).isEqualTo(node);
        assertThat(pool.job(half).placements().getFirst().node()).isEqualTo(node);
        assertThat(pool.job(quarter).placements().getFirst())
                .isEqualTo(pool.job(half).placements().getFirst());
        assertThat(pool.job(whole).placements().getFirst().node()).isNotEqualTo(node);
        assertThat(Objects.requireNonNull(pool.core.node(node)).deviceThousandthsUsed())
                .containsExactly(1000, 1000, 1000, 750);
    }

    @Test
    void S30_keepsWholeSupernodesFreeAndGangsInOne() {
        TestPool racks = new TestPool();
        for (int i = 0; i < 6; i++) {
            racks.node("n" + i, 4, i % 2 == 0 ? "east" : "west");
        }
        JobId single = racks.submitted(racks.gang(1, 4000));
        JobId second = racks.submitted(racks.gang(1, 4000));
        JobId gang = racks.submitted(racks.gang(3, 4000));

        assertThat(racks.job(single).placements().getFirst().node().value()).isEqualTo("n0");
        assertThat(racks.job(second).placements().getFirst().node().value()).isEqualTo("n2");
        assertThat(racks.job(gang).placements())
                .extracting(placement -> placement.node().value())
                .containsExactly("n1", "n3", "n5");
    }

    private static WaitReason reasonOf(List<Event> events) {
        return ((Event.JobQueued) events.get(1)).reason();
    }

    private long used() {
        long[] sum = {0};
        pool.core.forEachNode(node -> node.deviceThousandthsUsed().forEach(used -> sum[0] += used));
        return sum[0];
    }
}
