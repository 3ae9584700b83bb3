package dev.muster.simulation;

import dev.muster.core.PoolCore;
import dev.muster.platform.codec.SnapshotCodec;
import dev.muster.scheduler.JournalRow;
import dev.muster.scheduler.PoolFold;
import dev.muster.scheduler.StoredSnapshot;

/**
 * Folds the journal in a core of its own and writes the leader's snapshots, as {@code Follower}.
 */
final class SimFollower {

    private static final long LOOK_MILLIS = 1_000;
    private static final int SNAPSHOT_EVENTS = 60;

    private final World world;
    private final SimScheduler scheduler;
    private long snapshotSeq;

    SimFollower(SimScheduler scheduler) {
        this.world = scheduler.world;
        this.scheduler = scheduler;
    }

    void begin() {
        scheduler
                .state()
                .onSuccess(state -> {
                    snapshotSeq = state.core().seq();
                    follow(state);
                })
                .onFailure(_ -> scheduler.later(LOOK_MILLIS, this::begin));
    }

    private void follow(PoolFold state) {
        scheduler
                .caughtUp(state)
                .onSuccess(_ -> {
                    world.oracle.followed(state);
                    if (scheduler.leads() && state.core().seq() - snapshotSeq >= SNAPSHOT_EVENTS) {
                        write(state);
                    }
                    scheduler.later(LOOK_MILLIS, () -> follow(state));
                })
                .onFailure(_ -> scheduler.later(LOOK_MILLIS, this::begin));
    }

    private void write(PoolFold state) {
        PoolCore core = state.core();
        snapshotSeq = core.seq();
        StoredSnapshot snapshot =
                world.plant.written(
                        new StoredSnapshot(
                                core.seq(),
                                core.stateHash(),
                                state.positions(),
                                JournalRow.CODE_VERSION,
                                SnapshotCodec.encode(core.snapshot())));
        world.database
                .execute(scheduler, "snapshot.write", () -> world.database.journal.write(snapshot))
                .onFailure(_ -> snapshotSeq = 0);
    }
}
