package dev.muster.agent;

import java.nio.file.Path;

/**
 * Where the parts of one instance lie below its root.
 *
 * <p>The folders on the way to the log and to the outputs belong to the service's user and are
 * sticky where the command may write, so that a command that runs as another user cannot put a link
 * in their place.
 */
public record InstanceDirectories(Path root) {

    /**
     * The directory that a path of the specification, such as {@code /home/ma-user}, stands for.
     */
    public Path local(String specified) {
        return root.resolve(specified.substring(1)).normalize();
    }

    /** {@code MA_HOME}. */
    public Path home() {
        return root.resolve("home/ma-user");
    }

    /** {@code MA_MOUNT_PATH}. */
    public Path mount() {
        return home().resolve("modelarts");
    }

    /** {@code MA_LOG_DIR}. */
    public Path logs() {
        return mount().resolve("log");
    }

    /** What the command prints: {@code modelarts-job-<job id>-<task id>.log}. */
    public Path log(InstanceId id) {
        return logs().resolve("modelarts-job-" + id.job() + "-" + id.taskId() + ".log");
    }

    /** Of the {@code index}-th input, counted from 0. */
    public Path input(String name, int index) {
        return mount().resolve("inputs").resolve(name + "_" + index);
    }

    /** Of the {@code index}-th output, counted from 0. */
    public Path output(String name, int index) {
        return mount().resolve("outputs").resolve(name + "_" + index);
    }

    /** Scratch space, {@code MUSTER_CACHE_DIR}. */
    public Path cache() {
        return root.resolve("cache");
    }

    /** Files that agent and supervisor share; closed to other users. */
    Path control() {
        return root.resolve("control");
    }
}
