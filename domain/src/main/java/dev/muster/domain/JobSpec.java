package dev.muster.domain;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a user asks for (S0, S1, S4; later fields join these). Immutable; checked by {@link
 * JobSpecRules}.
 *
 * @param description at most 256 characters, may be empty
 * @param command run by {@code sh -c}; null with a boot file
 * @param parameters appended to the command as {@code --name value}
 * @param autoStopHours 0 for never
 * @param logPath object-storage prefix that logs are carried to, null for none
 * @param preemptible whether an operator may take its nodes; it queues again then
 */
public record JobSpec(
        String name,
        String description,
        ProjectId project,
        PoolId pool,
        QueueId queue,
        int priority,
        Framework framework,
        int instances,
        ResourceAsk resources,
        Code code,
        @Nullable String command,
        List<Parameter> parameters,
        SortedMap<String, String> environment,
        List<InputSpec> inputs,
        List<OutputSpec> outputs,
        int autoStopHours,
        @Nullable String logPath,
        boolean preemptible,
        Recovery recovery) {

    public JobSpec {
        parameters = List.copyOf(parameters);
        environment = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(environment));
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    /** Decides the distributed environment. Others of S0 and S4 come with their backend. */
    public enum Framework {
        CUSTOM,
        PYTORCH
    }

    /** How the process learns where an input or output lies. */
    public enum Access {
        PARAMETER,
        ENV
    }

    /**
     * What one instance gets.
     *
     * @param accelerator model, empty for any
     */
    public record ResourceAsk(Resources amount, String accelerator) {}

    /**
     * Where the code comes from and runs.
     *
     * @param codeDir object-storage prefix, null for none
     * @param bootFile path below the code directory, null with a command
     * @param localCodeDir directory in the instance
     * @param workingDir null: the local code directory
     */
    public record Code(
            @Nullable String codeDir,
            @Nullable String bootFile,
            String localCodeDir,
            @Nullable String workingDir) {

        public static final String DEFAULT_LOCAL_CODE_DIR = "/home/ma-user/modelarts/user-job-dir";
    }

    public record Parameter(String name, String value) {}

    public record InputSpec(String name, String source, Access access) {}

    public record OutputSpec(String name, String target, Access access, boolean preDownload) {}

    /**
     * What happens when the job breaks or hangs.
     *
     * @param maxRestarts without meaning unless {@code autoRestart}
     * @param unconditionalRestart restart on any abnormal exit, user errors included
     * @param hangSilenceSeconds longest silence of all logs, 0 for no such rule (S4)
     * @param startupSeconds after a process start, in which nothing is a hang
     * @param failurePatterns in RE2 syntax: a line of the log that matches one is a fault of the
     *     environment
     */
    public record Recovery(
            boolean autoRestart,
            int maxRestarts,
            boolean unconditionalRestart,
            boolean hangRestart,
            int hangSilenceSeconds,
            int startupSeconds,
            List<String> failurePatterns) {

        public static final int MAX_RESTARTS = 3;
        public static final int STARTUP_SECONDS = 900;

        /** Nothing is restarted, hangs are not looked for. */
        public static final Recovery OFF =
                new Recovery(false, MAX_RESTARTS, false, false, 0, STARTUP_SECONDS, List.of());

        public Recovery {
            failurePatterns = List.copyOf(failurePatterns);
        }

        RestartPolicy policy() {
            return autoRestart
                    ? new RestartPolicy(true, maxRestarts, unconditionalRestart, hangRestart)
                    : RestartPolicy.OFF;
        }
    }

    /** What the scheduler needs of it. */
    public Ask ask(JobId job) {
        return new Ask(
                job,
                project,
                queue,
                priority,
                instances,
                resources.accelerator(),
                resources.amount(),
                autoStopHours * 3600L,
                recovery.policy(),
                preemptible,
                new Watch(recovery.hangSilenceSeconds(), recovery.startupSeconds()));
    }
}
