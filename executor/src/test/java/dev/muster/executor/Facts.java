package dev.muster.executor;

import dev.muster.domain.Ask;
import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;
import dev.muster.domain.NodeId;
import dev.muster.domain.Placement;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.QueueId;
import dev.muster.domain.Resources;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;

/** Facts and specifications as tests need them. */
final class Facts {

    static final ProjectId PROJECT = new ProjectId("research");
    static final PoolId POOL = new PoolId("public");
    static final JobId JOB = new JobId(1, 1);

    private Facts() {}

    static JobId newJob() {
        return JobId.of(UUID.randomUUID());
    }

    static InstanceRef instance(int attempt, int index) {
        return new InstanceRef(JOB, attempt, index, 1);
    }

    static Ask ask(JobId job, int instances) {
        return new Ask(
                job, PROJECT, new QueueId("default"), 1, instances, "", new Resources(1, 1, 0), 0);
    }

    static Event submitted(JobId job, int instances, String hash) {
        return new Event.JobSubmitted(ask(job, instances), "test", hash, 1);
    }

    static Event granted(JobId job, int attempt, int instances) {
        List<Placement> placements =
                IntStream.range(0, instances)
                        .mapToObj(i -> new Placement(i, new NodeId("node-" + i), List.of()))
                        .toList();
        return new Event.GangGranted(job, PROJECT, attempt, placements);
    }

    /** A whole good life after the submission, in its order. */
    static List<Event> life(JobId job, int attempt) {
        return List.of(
                granted(job, attempt, 2),
                new Event.InstancePrepared(job, PROJECT, attempt, 1, 1),
                new Event.InstancePrepared(job, PROJECT, attempt, 0, 1),
                new Event.JobStarting(job, PROJECT, attempt, 1),
                new Event.InstanceStarted(job, PROJECT, attempt, 0, 1, 1),
                new Event.InstanceStarted(job, PROJECT, attempt, 1, 1, 1),
                new Event.JobStarted(job, PROJECT, attempt),
                new Event.InstanceExited(job, PROJECT, attempt, 0, 1, 1, 0),
                new Event.InstanceExited(job, PROJECT, attempt, 1, 1, 1, 0),
                new Event.JobFinishing(job, PROJECT, attempt, null, ""),
                new Event.InstanceGone(job, PROJECT, attempt, 0, 1),
                new Event.InstanceGone(job, PROJECT, attempt, 1, 1),
                new Event.GangReleased(job, PROJECT, attempt),
                new Event.JobSucceeded(job, PROJECT, attempt));
    }

    static Event finishing(JobId job, int attempt, FailureCause cause) {
        return new Event.JobFinishing(job, PROJECT, attempt, cause, "it failed");
    }

    static JobSpec spec(String command, int instances, Map<String, String> environment) {
        return new JobSpec(
                "test",
                "",
                PROJECT,
                POOL,
                new QueueId("default"),
                1,
                JobSpec.Framework.PYTORCH,
                instances,
                new JobSpec.ResourceAsk(new Resources(100, 64, 0), ""),
                new JobSpec.Code(null, null, JobSpec.Code.DEFAULT_LOCAL_CODE_DIR, null),
                command,
                List.of(),
                new TreeMap<>(environment),
                List.of(),
                List.of(),
                0,
                null,
                false,
                JobSpec.Recovery.OFF);
    }
}
