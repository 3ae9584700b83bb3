package dev.muster.executor;

import dev.muster.agent.Access;
import dev.muster.agent.DataLimits;
import dev.muster.agent.InputPlan;
import dev.muster.agent.InstanceEnvironment;
import dev.muster.agent.InstanceId;
import dev.muster.agent.InstancePlan;
import dev.muster.agent.OutputPlan;
import dev.muster.agent.Parameter;
import dev.muster.agent.Program;
import dev.muster.agent.Watch;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobSpec;
import dev.muster.storage.ObjectLocation;

import java.nio.file.Path;
import java.util.Optional;

/** What a specification means for one instance of this machine. */
final class InstancePlans {

    private static final int DEVICE = 1000;

    /** Name of every instance's task, part of its log's name. */
    private static final String TASK = "worker";

    /**
     * What is the same for all instances.
     *
     * @param user that commands run as; empty: the service's own
     * @param path {@code PATH} of jobs that set none
     */
    record Rules(
            DataLimits limits,
            long syncIntervalMillis,
            long stopGraceMillis,
            Optional<String> user,
            String path) {}

    private InstancePlans() {}

    static InstanceId id(InstanceRef instance) {
        return new InstanceId(
                instance.job().toString(),
                instance.attempt(),
                instance.index(),
                instance.incarnation());
    }

    /**
     * @throws IllegalArgumentException in one sentence for the user
     */
    static InstancePlan of(
            Grant grant, InstanceRef instance, Path root, Rendezvous rendezvous, Rules rules) {
        JobSpec spec = grant.spec();
        return new InstancePlan(
                id(instance),
                root,
                program(spec),
                spec.parameters().stream().map(p -> new Parameter(p.name(), p.value())).toList(),
                environment(grant, rendezvous, rules.path),
                Optional.ofNullable(spec.code().codeDir()).map(ObjectLocation::parse),
                spec.code().localCodeDir(),
                Optional.ofNullable(spec.code().workingDir()),
                spec.inputs().stream()
                        .map(input ->
                                new InputPlan(
                                        input.name(),
                                        ObjectLocation.parse(input.source()),
                                        access(input.access()),
                                        true))
                        .toList(),
                spec.outputs().stream()
                        .map(output ->
                                new OutputPlan(
                                        output.name(),
                                        ObjectLocation.parse(output.target()),
                                        access(output.access()),
                                        output.preDownload()))
                        .toList(),
                Optional.ofNullable(spec.logPath()).map(ObjectLocation::parse),
                rules.limits,
                rules.syncIntervalMillis,
                rules.stopGraceMillis,
                rules.user,
                watch(spec.recovery()));
    }

    private static Watch watch(JobSpec.Recovery recovery) {
        return new Watch(
                recovery.hangSilenceSeconds(),
                recovery.startupSeconds(),
                recovery.failurePatterns());
    }

    private static Program program(JobSpec spec) {
        String command = spec.command();
        if (command != null) {
            return new Program.ShellCommand(command);
        }
        String bootFile = spec.code().bootFile();
        if (bootFile == null) {
            throw new IllegalArgumentException("the job has neither a command nor a boot file");
        }
        return new Program.BootFile(bootFile);
    }

    private static InstanceEnvironment environment(
            Grant grant, Rendezvous rendezvous, String path) {
        JobSpec spec = grant.spec();
        int thousandths = spec.resources().amount().acceleratorThousandths();
        return new InstanceEnvironment(
                "modelarts-job-" + grant.job(),
                TASK,
                rendezvous.hosts(),
                (thousandths + DEVICE - 1) / DEVICE,
                switch (spec.framework()) {
                    case CUSTOM -> InstanceEnvironment.Framework.CUSTOM;
                    case PYTORCH -> InstanceEnvironment.Framework.PYTORCH;
                },
                rendezvous.port(),
                grant.attempt(),
                path,
                spec.environment());
    }

    private static Access access(JobSpec.Access access) {
        return switch (access) {
            case PARAMETER -> Access.PARAMETER;
            case ENV -> Access.ENV;
        };
    }
}
