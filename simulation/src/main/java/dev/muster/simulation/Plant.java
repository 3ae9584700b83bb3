package dev.muster.simulation;

import dev.muster.core.PoolCore;
import dev.muster.domain.Input;
import dev.muster.domain.Message;
import dev.muster.executor.InstanceChange;
import dev.muster.scheduler.Positions;
import dev.muster.scheduler.StoredSnapshot;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** Where a known bug may be planted between the parts. This one plants none. */
class Plant {

    /** What an executor reports. */
    Message reported(Message message) {
        return message;
    }

    /** What becomes of a record by its lane's position; null: it is dropped. */
    @Nullable Message taken(PoolCore core, Positions.Verdict verdict, Message message) {
        return verdict == Positions.Verdict.TAKEN ? message : null;
    }

    /** In which order a batch is decided. */
    List<Input> ordered(List<Input> journalled) {
        return journalled;
    }

    /** A snapshot on its way to the table. */
    StoredSnapshot written(StoredSnapshot snapshot) {
        return snapshot;
    }

    /** A snapshot on its way from the table. */
    StoredSnapshot loaded(StoredSnapshot snapshot) {
        return snapshot;
    }

    /** Whether an instance is told gone when it begins to leave. */
    boolean leavesEarly() {
        return false;
    }

    /** Whether the executor overhears a change. */
    boolean swallows(InstanceChange change) {
        return false;
    }

    /** Whether a gateway takes an unknown outcome for a failure. */
    boolean assumesNothingWritten() {
        return false;
    }

    /** The numbers under which a gateway publishes a batch. */
    LaneTable.Places numbered(LaneTable.Places places, long headN) {
        return places;
    }
}
