package dev.muster.agent;

import dev.muster.storage.ObjectLocation;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * All that is needed to run one instance. It is written into the instance's root before anything
 * else, so that a later process can take the instance over from its directory alone. It holds the
 * user's environment: only the service's own user can read it there.
 *
 * @param root the instance's own directory, one per incarnation; absolute. Paths of the
 *     specification lie below it: {@code /home/ma-user} is {@code root/home/ma-user}
 * @param code folder or object brought in to {@code <local code dir>/<last path element>}
 * @param localCodeDir as in the specification, absolute, below {@code /home}
 * @param workingDir as in the specification, absolute; empty: the local code directory
 * @param logTarget folder that the logs are carried to at the end
 * @param syncIntervalMillis between two looks at the outputs while the command runs
 * @param stopGraceMillis from SIGTERM to SIGKILL
 * @param user runs the command under this name; empty: the service's own user
 * @param watch what of its log is told at once
 */
public record InstancePlan(
        InstanceId id,
        Path root,
        Program program,
        List<Parameter> parameters,
        InstanceEnvironment environment,
        Optional<ObjectLocation> code,
        String localCodeDir,
        Optional<String> workingDir,
        List<InputPlan> inputs,
        List<OutputPlan> outputs,
        Optional<ObjectLocation> logTarget,
        DataLimits limits,
        long syncIntervalMillis,
        long stopGraceMillis,
        Optional<String> user,
        Watch watch) {

    public static final String DEFAULT_LOCAL_CODE_DIR = "/home/ma-user/modelarts/user-job-dir";

    public InstancePlan {
        if (!root.isAbsolute()) {
            throw new IllegalArgumentException("root '" + root + "' is not absolute");
        }
        checkDirectory("local code dir", localCodeDir);
        workingDir.ifPresent(directory -> checkDirectory("working dir", directory));
        if (syncIntervalMillis < 1 || stopGraceMillis < 0) {
            throw new IllegalArgumentException("sync interval or stop grace is out of range");
        }
        root = root.normalize();
        parameters = List.copyOf(parameters);
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    /** Where everything of this instance lies. */
    public InstanceDirectories directories() {
        return new InstanceDirectories(root);
    }

    private static void checkDirectory(String field, String directory) {
        Path path = Path.of(directory);
        if (!path.isAbsolute() || !path.normalize().equals(path)) {
            throw new IllegalArgumentException(
                    field + " '" + directory + "' is not an absolute, normalised path");
        }
    }
}
