package dev.muster.scheduler;

import dev.muster.platform.run.Failpoints;

import java.util.Arrays;
import java.util.List;

/** The durable and visible steps of a pool's scheduler: a test kills at each of them. */
enum Step {
    /** The epoch is raised, nothing of it is journalled yet. */
    EPOCH_TAKEN("scheduler.epoch.taken"),
    /** A batch is decided and applied in memory. */
    DECIDED("scheduler.decided"),
    /** It is encoded and about to be sent to PostgreSQL. */
    APPEND_BEFORE("scheduler.append.before"),
    /** PostgreSQL has confirmed it, nothing has left yet. */
    APPEND_COMMITTED("scheduler.append.committed"),
    /** Its events are about to be given to Kafka. */
    PUBLISH_BEFORE("scheduler.publish.before"),
    /** Kafka has acknowledged all events of a row. */
    PUBLISHED("scheduler.published"),
    SNAPSHOT_BEFORE("scheduler.snapshot.before"),
    SNAPSHOT_WRITTEN("scheduler.snapshot.written");

    private final String failpoint;

    Step(String failpoint) {
        this.failpoint = failpoint;
    }

    void reach() {
        Failpoints.reach(failpoint);
    }

    static List<String> names() {
        return Arrays.stream(values()).map(step -> step.failpoint).toList();
    }
}
