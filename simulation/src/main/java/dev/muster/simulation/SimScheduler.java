package dev.muster.simulation;

import dev.muster.core.CoreSettings;
import dev.muster.domain.InvariantBroken;
import dev.muster.scheduler.PoolFold;
import dev.muster.scheduler.StoredSnapshot;

import io.vertx.core.Future;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.util.List;

/**
 * A scheduler of the pool: loads, stands by, leads, and drops its state when anything ends its
 * term. The protocol is that of {@code PoolLoop}, {@code Leadership} and {@code StateLoader}.
 */
final class SimScheduler extends SimProcess {

    static final long LEASE_MILLIS = 3_000;
    private static final long STANDBY_MILLIS = 400;
    private static final long BACKOFF_MILLIS = 300;

    private long epoch;
    private @Nullable SimTerm term;

    SimScheduler(World world, String name) {
        super(world, name);
    }

    @Override
    void begin() {
        epoch = -1;
        term = null;
        new SimFollower(this).begin();
        load();
    }

    boolean leads() {
        return alive() && term != null;
    }

    @Nullable SimTerm term() {
        return term;
    }

    private void load() {
        state().onSuccess(this::standBy).onFailure(this::again);
    }

    /** The newest snapshot that can be used, and the rows after it. */
    Future<PoolFold> state() {
        return world.database
                .execute(this, "snapshot.read", world.database.journal::snapshots)
                .compose(found -> caughtUp(restored(found)));
    }

    private PoolFold restored(List<StoredSnapshot> snapshots) {
        for (StoredSnapshot each : snapshots) {
            PoolFold state = restored(world.plant.loaded(each));
            if (state != null) {
                return state;
            }
            world.oracle.unreadableSnapshot();
        }
        return PoolFold.empty(World.POOL, CoreSettings.DEFAULT);
    }

    private static @Nullable PoolFold restored(StoredSnapshot snapshot) {
        try {
            return PoolFold.restored(
                    World.POOL,
                    snapshot,
                    () -> new ByteArrayInputStream(snapshot.whole()),
                    CoreSettings.DEFAULT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the simulation was interrupted", e);
        }
    }

    Future<PoolFold> caughtUp(PoolFold state) {
        long seq = state.core().seq();
        return world.database
                .execute(this, "journal.read", () -> world.database.journal.committedAfter(seq))
                .compose(rows -> {
                    if (rows.isEmpty()) {
                        return Future.succeededFuture(state);
                    }
                    rows.forEach(state::fold);
                    return caughtUp(state);
                });
    }

    private void again(Throwable cause) {
        if (cause instanceof InvariantBroken || cause instanceof IllegalStateException) {
            world.oracle.broken(this, cause);
        }
        later(BACKOFF_MILLIS, this::load);
    }

    private void standBy(PoolFold state) {
        long own = epoch;
        long now = wallMillis();
        world.database
                .execute(
                        this,
                        "epoch.take",
                        () ->
                                java.util.Optional.ofNullable(
                                        world.database.journal.take(name, own, now, LEASE_MILLIS)))
                .onFailure(this::again)
                .onSuccess(head -> {
                    if (head.isPresent()) {
                        epoch = head.get().epoch();
                        caughtUp(state)
                                .onSuccess(_ -> lead(state, head.get()))
                                .onFailure(this::again);
                    } else {
                        caughtUp(state)
                                .onSuccess(_ -> later(STANDBY_MILLIS, () -> standBy(state)))
                                .onFailure(this::again);
                    }
                });
    }

    private void lead(PoolFold state, JournalTable.Head head) {
        if (state.core().seq() > head.seq()) {
            later(BACKOFF_MILLIS, this::load); // another one has led meanwhile
            return;
        }
        if (state.core().seq() != head.seq()) {
            again(new IllegalStateException("rows end at " + state.core().seq() + ": " + head));
            return;
        }
        world.trace(() -> name + " leads with epoch " + head.epoch() + " from " + head.seq());
        world.oracle.leads(state);
        SimTerm begun = new SimTerm(this, state, head);
        term = begun;
        begun.begin();
    }

    /** The state is dropped and read anew. */
    void ended(SimTerm over) {
        if (term == over) {
            world.trace(() -> name + " leads no more");
            term = null;
            later(BACKOFF_MILLIS, this::load);
        }
    }
}
