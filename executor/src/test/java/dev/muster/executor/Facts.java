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
import dev.muster.domain.Scenario;
import dev.muster.domain.Spent;
import dev.muster.domain.Tier;

import java.util.ArrayList;
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

    static Event restarting(
            int incident, Tier tier, Scenario scenario, int incarnation, int processStart) {
        return new Event.JobRestarting(
                JOB, PROJECT, 1, incident, tier, scenario, incarnation, processStart, Spent.NONE);
    }

    private static Event hung(JobId job, Tier tier, int incarnation, int processStart) {
        return new Event.JobRestarting(
                job,
                PROJECT,
                1,
                1,
                tier,
                Scenario.JOB_HANGED,
                incarnation,
                processStart,
                Spent.NONE);
    }

    /** Restarted in place, then by containers, then done well. */
    static List<Event> eventfulLife(JobId job) {
        List<Event> facts = new ArrayList<>(life(job, 1).subList(0, 7));
        facts.add(hung(job, Tier.PROCESS, 1, 2));
        facts.add(new Event.InstanceStarted(job, PROJECT, 1, 1, 1, 2));
        facts.add(hung(job, Tier.CONTAINER, 2, 0));
        facts.add(new Event.InstancePrepared(job, PROJECT, 1, 0, 2));
        facts.add(new Event.InstancePrepared(job, PROJECT, 1, 1, 2));
        facts.add(new Event.JobStarting(job, PROJECT, 1, 1));
        facts.add(new Event.InstanceStarted(job, PROJECT, 1, 0, 2, 1));
        facts.add(new Event.InstanceStarted(job, PROJECT, 1, 1, 2, 1));
        facts.add(new Event.JobRestarted(job, PROJECT, 1, 1, Tier.CONTAINER));
        facts.add(new Event.JobFinishing(job, PROJECT, 1, null, ""));
        facts.add(new Event.InstanceGone(job, PROJECT, 1, 0, 2));
        facts.add(new Event.InstanceGone(job, PROJECT, 1, 1, 2));
        facts.add(new Event.GangReleased(job, PROJECT, 1));
        facts.add(new Event.JobSucceeded(job, PROJECT, 1));
        return facts;
    }

    static Event finishing(JobId job, int attempt, FailureCause cause) {
        return new Event.JobFinishing(job, PROJECT, attempt, cause, "it failed");
    }

    static JobSpec spec(String command, int instances, Map<String, String> environment) {
        return spec(command, instances, environment, JobSpec.Recovery.OFF);
    }

    /** Whose silence is told after a second. */
    static JobSpec watched(String command, int instances, Map<String, String> environment) {
        JobSpec.Recovery recovery =
                new JobSpec.Recovery(true, 3, false, true, 1, 0, List.of("^FATAL"));
        return spec(command, instances, environment, recovery);
    }

    private static JobSpec spec(
            String command,
            int instances,
            Map<String, String> environment,
            JobSpec.Recovery recovery) {
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
                recovery);
    }

    /** The digits sample on two instances; its output is brought in before each attempt. */
    static JobSpec digits(Map<String, String> parameters, JobSpec.Recovery recovery) {
        JobSpec plain = spec("python3 ${MA_JOB_DIR}/code/train.py", 2, Map.of(), recovery);
        return new JobSpec(
                plain.name(),
                "",
                plain.project(),
                plain.pool(),
                plain.queue(),
                1,
                JobSpec.Framework.PYTORCH,
                2,
                plain.resources(),
                new JobSpec.Code(
                        "obs://samples/digits/code",
                        null,
                        JobSpec.Code.DEFAULT_LOCAL_CODE_DIR,
                        null),
                plain.command(),
                new TreeMap<>(parameters)
                        .entrySet().stream()
                                .map(each -> new JobSpec.Parameter(each.getKey(), each.getValue()))
                                .toList(),
                new TreeMap<>(),
                List.of(
                        new JobSpec.InputSpec(
                                "data_url", "obs://samples/digits/data", JobSpec.Access.PARAMETER)),
                List.of(
                        new JobSpec.OutputSpec(
                                "train_url",
                                "obs://samples/digits/out",
                                JobSpec.Access.PARAMETER,
                                true)),
                0,
                null,
                false,
                recovery);
    }
}
