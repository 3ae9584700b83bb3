package dev.muster.scheduler;

import dev.muster.core.CoreSettings;
import dev.muster.domain.PoolId;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.Queue;

/** Builds a core from the newest readable snapshot, or from nothing, and the rows after it. */
final class StateLoader {

    private final PoolId pool;
    private final Journal journal;
    private final SnapshotStore snapshots;
    private final CoreSettings settings;
    private final Runnable unreadable;

    /** Seq of the snapshot from which was loaded last. */
    private volatile long snapshotSeq;

    /**
     * @param unreadable told of each snapshot that is passed over
     */
    StateLoader(PoolId pool, Journal journal, SnapshotStore snapshots, Runnable unreadable) {
        this.pool = pool;
        this.journal = journal;
        this.snapshots = snapshots;
        this.settings = PoolContext.coreSettings();
        this.unreadable = unreadable;
    }

    /**
     * Snapshot and tail. Blocks.
     *
     * @throws UnreadableJournal if this version cannot fold the journal
     */
    PoolFold load() throws InterruptedException {
        PoolFold state = fromSnapshot();
        if (state == null) {
            state = empty();
        }
        snapshotSeq = state.core().seq();
        catchUp(state);
        return state;
    }

    /** Seq of the snapshot that the last {@link #load} began with, 0 for none. */
    long snapshotSeq() {
        return snapshotSeq;
    }

    /** From the first row, without snapshots. Blocks. */
    PoolFold replay() throws InterruptedException {
        PoolFold state = empty();
        catchUp(state);
        return state;
    }

    private PoolFold empty() {
        return PoolFold.empty(pool, settings);
    }

    /** Folds all rows that are there. Blocks. */
    void catchUp(PoolFold state) throws InterruptedException {
        while (true) {
            Queue<CommittedRow> rows = journal.committedAfter(state.core().seq());
            if (rows.isEmpty()) {
                return;
            }
            rows.forEach(state::fold);
        }
    }

    private @Nullable PoolFold fromSnapshot() throws InterruptedException {
        for (long seq : Awaited.get(snapshots.seqs())) {
            Optional<StoredSnapshot> found = Awaited.get(snapshots.read(seq));
            if (found.isPresent()) {
                PoolFold state =
                        PoolFold.restored(
                                pool, found.get(), () -> snapshots.body(found.get()), settings);
                if (state != null) {
                    return state;
                }
                unreadable.run();
            }
        }
        return null;
    }
}
