package dev.muster.scheduler;

import dev.muster.platform.run.Failpoints;

import java.util.Arrays;
import java.util.List;

/** The durable steps of rolling a week of the journal to the object store. */
enum RollStep {
    /** A week is chosen, nothing is written. */
    CHOSEN("scheduler.roll.chosen"),
    /** A part is in the object store, no row says so. */
    PART_WRITTEN("scheduler.roll.part"),
    /** All parts and their manifest are there and read back; the rows still are in PostgreSQL. */
    WRITTEN("scheduler.roll.written"),
    /** The partition is dropped and the parts are entered, not yet committed. */
    DROPPED("scheduler.roll.dropped"),
    /** Committed: who reads on finds the parts. */
    ROLLED("scheduler.roll.rolled");

    private final String failpoint;

    RollStep(String failpoint) {
        this.failpoint = failpoint;
    }

    void reach() {
        Failpoints.reach(failpoint);
    }

    static List<String> names() {
        return Arrays.stream(values()).map(step -> step.failpoint).toList();
    }
}
