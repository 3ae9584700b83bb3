package dev.muster.platform.codec;

import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.Input;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.JobState;
import dev.muster.domain.LaneId;
import dev.muster.domain.Level;
import dev.muster.domain.Message;
import dev.muster.domain.NodeId;
import dev.muster.domain.NodeShape;
import dev.muster.domain.NodeSnapshot;
import dev.muster.domain.Placement;
import dev.muster.domain.PoolId;
import dev.muster.domain.PoolSnapshot;
import dev.muster.domain.ProjectId;
import dev.muster.domain.QueueId;
import dev.muster.domain.RecoveryResult;
import dev.muster.domain.RecoveryState;
import dev.muster.domain.Report;
import dev.muster.domain.Resources;
import dev.muster.domain.RestartPolicy;
import dev.muster.domain.Scenario;
import dev.muster.domain.Spent;
import dev.muster.domain.Tier;
import dev.muster.domain.WaitReason;
import dev.muster.domain.Watch;

import java.util.ArrayList;
import java.util.List;

/** One value of each type, the same in every run: what the golden files hold. */
final class Samples {

    static final JobId JOB = JobId.parse("01890000-0000-7000-8000-000000000001");
    static final ProjectId PROJECT = new ProjectId("vision");
    static final NodeId NODE = new NodeId("node-1");
    static final NodeShape SHAPE = new NodeShape(192_000, 1_572_864, "Ascend910", 8, "sn-1");
    static final WaitReason SHORT =
            new WaitReason(
                    WaitReason.Code.INSUFFICIENT, "accelerators on one node", "pool public", 16, 8);
    static final Ask ASK =
            new Ask(
                    JOB,
                    PROJECT,
                    new QueueId("default"),
                    2,
                    2,
                    "Ascend910",
                    new Resources(8000, 16_384, 2000),
                    3600);
    static final List<Placement> PLACEMENTS =
            List.of(
                    new Placement(0, NODE, List.of(0, 1)),
                    new Placement(1, new NodeId("node-2"), List.of(2, 3)));
    private static final String HASH = "ab".repeat(32);
    private static final String EVIDENCE = "evidence/" + JOB + "/1/2/1.txt";
    private static final InstanceRef INSTANCE = new InstanceRef(JOB, 1, 1, 1);

    private Samples() {}

    static List<Event> events() {
        List<Event> events = new ArrayList<>(firstEvents());
        events.addAll(recoveryEvents());
        return events;
    }

    /** Those of the first version. */
    static List<Event> firstEvents() {
        List<Event> events = new ArrayList<>(jobEvents());
        events.addAll(
                List.of(
                        new Event.NodeDeclared(NODE, SHAPE, true),
                        new Event.NodeReadinessChanged(NODE, false),
                        new Event.NodeCordoned(NODE, "c-2", "ops"),
                        new Event.NodeUncordoned(NODE, "c-3", "ops"),
                        new Event.CommandRefused("c-4", "no such job"),
                        new Event.LeaderTookOver(7, "scheduler/local", 1),
                        new Event.ShardOwned(3, "executor/local"),
                        new Event.OutageObserved(1_700_000_000_000L, 1_700_000_060_000L),
                        new Event.InputsAbsorbed(4)));
        return events;
    }

    private static List<Event> jobEvents() {
        return List.of(
                new Event.JobSubmitted(ASK, "résnet \"50\"", HASH, 1_700_000_000_000L),
                new Event.JobQueued(JOB, PROJECT, WaitReason.AWAITS_CYCLE),
                new Event.JobWaiting(JOB, PROJECT, SHORT),
                new Event.GangGranted(JOB, PROJECT, 1, PLACEMENTS),
                new Event.InstancePrepared(JOB, PROJECT, 1, 1, 1),
                new Event.JobStarting(JOB, PROJECT, 1, 1),
                new Event.InstanceStarted(JOB, PROJECT, 1, 1, 1, 1),
                new Event.JobStarted(JOB, PROJECT, 1),
                new Event.InstanceExited(JOB, PROJECT, 1, 1, 1, 1, 137),
                new Event.NoticeRecorded(JOB, PROJECT, 1, -1, Level.WARNING, "an output is large"),
                new Event.JobFinishing(JOB, PROJECT, 1, null, ""),
                new Event.JobStopping(JOB, PROJECT, 1, "c-1", "ana", "wrong data"),
                new Event.InstanceGone(JOB, PROJECT, 1, 1, 1),
                new Event.GangReleased(JOB, PROJECT, 1),
                new Event.JobSucceeded(JOB, PROJECT, 1),
                new Event.JobFailed(JOB, PROJECT, 1, FailureCause.EXIT_CODE, "instance 1: 137"),
                new Event.JobStopped(JOB, PROJECT, 1, "c-1", "ana", "wrong data"));
    }

    private static List<Event> recoveryEvents() {
        return List.of(
                new Event.JobHanged(JOB, PROJECT, 1, "incident-1", 2, "all logs silent for 60 s"),
                new Event.IncidentOpened(
                        JOB,
                        PROJECT,
                        1,
                        2,
                        Scenario.JOB_HANGED,
                        List.of(0, 1),
                        List.of(NODE, new NodeId("node-2")),
                        "all logs silent for 60 s"),
                new Event.VerdictAwaited(
                        JOB,
                        PROJECT,
                        1,
                        2,
                        1_700_000_005_000L,
                        "instance 1 ended with code 137 (signal 9)"),
                new Event.JobRestarting(
                        JOB,
                        PROJECT,
                        1,
                        2,
                        Tier.CONTAINER,
                        Scenario.JOB_HANGED,
                        2,
                        0,
                        new Spent(1, 0, 2)),
                new Event.JobRestarted(JOB, PROJECT, 1, 2, Tier.CONTAINER),
                new Event.IncidentClosed(
                        JOB, PROJECT, 1, 2, RecoveryResult.QUOTA_EXCEEDED, "3 of 3 are used"),
                new Event.RecoveryReset(JOB, PROJECT, 1),
                new Event.JobPreempted(JOB, PROJECT, 1, "c-5", "ops", "maintenance"),
                new Event.EvidenceKept(JOB, PROJECT, 1, 1, 2, EVIDENCE, 1));
    }

    static List<Message> messages() {
        List<Message> messages = new ArrayList<>(firstMessages());
        messages.addAll(
                List.of(
                        new Command.PreemptJob("c-5", JOB, "ops", "maintenance"),
                        new Command.ReportIncident(
                                "incident-1",
                                JOB,
                                1,
                                1,
                                1,
                                Scenario.JOB_HANGED,
                                false,
                                -1,
                                "all logs silent for 60 s"),
                        new Command.ReportProgress("progress-1", JOB, 1, 1, 2),
                        new Report.EvidenceKept(3, INSTANCE, 1, 2, EVIDENCE)));
        return messages;
    }

    /** Those of the first version. */
    static List<Message> firstMessages() {
        return List.of(
                new Command.SubmitJob(ASK, "résnet \"50\"", HASH, 1_700_000_000_000L),
                new Command.StopJob("c-1", JOB, "ana", "wrong data"),
                new Command.CordonNode("c-2", NODE, "ops"),
                new Command.UncordonNode("c-3", NODE, "ops"),
                new Command.Unpublishable(JOB, PROJECT, "the record is too large"),
                new Report.ShardTaken(3, "executor/local"),
                new Report.NodeObserved(3, NODE, SHAPE, true),
                new Report.InstancePrepared(3, INSTANCE),
                new Report.InstanceStarted(3, INSTANCE, 1),
                new Report.InstanceExited(3, INSTANCE, 1, 137),
                new Report.InstanceFailed(3, INSTANCE, FailureCause.PREPARATION, "no such input"),
                new Report.InstanceGone(3, INSTANCE),
                new Report.NoticeRaised(3, INSTANCE, Level.INFO, "restored"));
    }

    static List<Input> inputs() {
        List<Input> inputs = new ArrayList<>();
        inputs.add(new Input.LeaderElected(7, "scheduler/local", 1));
        inputs.add(new Input.OutageEnded(1_700_000_000_000L, 1_700_000_060_000L));
        long n = 0;
        for (Message each : firstMessages()) {
            inputs.add(new Input.Delivered(new LaneId("gateway/local/public"), ++n, each));
        }
        inputs.add(new Input.Tick(1_700_000_060_001L));
        return inputs;
    }

    /** With a job that restarts. */
    static PoolSnapshot restarting() {
        Ask ask = ASK.withRecovery(new RestartPolicy(true, 3, true, true), true, new Watch(60, 30));
        RecoveryState recovery =
                new RecoveryState(
                        2,
                        new RecoveryState.OpenIncident(
                                Scenario.JOB_HANGED,
                                Tier.PROCESS,
                                "all logs silent for 60 s",
                                1_700_000_005_000L),
                        new Spent(1, 0, 2),
                        Tier.PROCESS,
                        List.of(Scenario.JOB_SUBHEALTH));
        JobSnapshot plain = job(0);
        JobSnapshot job =
                new JobSnapshot(
                        ask,
                        plain.name(),
                        plain.specHash(),
                        9,
                        JobState.RESTARTING,
                        WaitReason.AWAITS_CYCLE,
                        1,
                        PLACEMENTS,
                        List.of(
                                new JobSnapshot.InstanceSnapshot(1, true, 0, -1, false, true),
                                new JobSnapshot.InstanceSnapshot(1, true, 2, -1, false, false)),
                        2,
                        null,
                        "",
                        "",
                        "",
                        0,
                        500,
                        recovery);
        return new PoolSnapshot(
                new PoolId("public"), 40, 1_700_000_060_001L, 7, 3, List.of(job), List.of());
    }

    static PoolSnapshot snapshot(int jobs) {
        List<JobSnapshot> all = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            all.add(job(i));
        }
        return new PoolSnapshot(
                new PoolId("public"),
                9 + jobs,
                1_700_000_060_001L,
                7,
                3,
                all,
                List.of(new NodeSnapshot(NODE, SHAPE, true, false)));
    }

    private static JobSnapshot job(int i) {
        Ask ask =
                new Ask(
                        new JobId(JOB.hi(), JOB.lo() + i),
                        PROJECT,
                        ASK.queue(),
                        2,
                        2,
                        "Ascend910",
                        ASK.perInstance(),
                        3600);
        return new JobSnapshot(
                ask,
                "job " + i,
                HASH,
                9 + i,
                JobState.RUNNING,
                SHORT,
                1,
                PLACEMENTS,
                List.of(
                        new JobSnapshot.InstanceSnapshot(1, true, 1, -1, false, false),
                        new JobSnapshot.InstanceSnapshot(1, true, 1, 0, false, false)),
                1,
                null,
                "",
                "",
                "",
                1_700_000_000_500L,
                0,
                RecoveryState.NONE);
    }
}
