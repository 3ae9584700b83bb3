package dev.muster.scheduler;

import dev.muster.core.CoreSettings;
import dev.muster.core.PoolCore;
import dev.muster.domain.Event;
import dev.muster.domain.PoolId;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.SnapshotCodec;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/** Builds a core from the newest readable snapshot, or from nothing, and the rows after it. */
final class StateLoader {

    private static final Logger LOG = LoggerFactory.getLogger(StateLoader.class);

    /** A core and the lanes' positions at its seq. One thread's own. */
    static final class State {
        private final PoolCore core;
        private Map<String, Long> positions;

        State(PoolCore core, Map<String, Long> positions) {
            this.core = core;
            this.positions = positions;
        }

        PoolCore core() {
            return core;
        }

        Map<String, Long> positions() {
            return positions;
        }

        void fold(CommittedRow row) {
            if (row.firstSeq() != core.seq() + 1) {
                throw new UnreadableJournal(
                        "the journal goes on with seq "
                                + row.firstSeq()
                                + " after seq "
                                + core.seq()
                                + ": rows are missing",
                        null);
            }
            List<Event> events = row.events().stream().map(EncodedEvent::event).toList();
            core.apply(row.atMillis(), events);
            positions = row.positions();
        }
    }

    private final PoolId pool;
    private final Journal journal;
    private final SnapshotStore snapshots;
    private final CoreSettings settings;
    private final Runnable unreadable;

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
    State load() throws InterruptedException {
        State state = fromSnapshot();
        if (state == null) {
            state = empty();
        }
        catchUp(state);
        return state;
    }

    /** From the first row, without snapshots. Blocks. */
    State replay() throws InterruptedException {
        State state = empty();
        catchUp(state);
        return state;
    }

    private State empty() {
        return new State(PoolCore.empty(pool, settings), Map.of());
    }

    /** Folds all rows that are there. Blocks. */
    void catchUp(State state) throws InterruptedException {
        while (true) {
            Queue<CommittedRow> rows = journal.committedAfter(state.core().seq());
            if (rows.isEmpty()) {
                return;
            }
            rows.forEach(state::fold);
        }
    }

    private @Nullable State fromSnapshot() throws InterruptedException {
        for (long seq : Awaited.get(snapshots.seqs())) {
            Optional<SnapshotStore.Stored> stored = Awaited.get(snapshots.read(seq));
            if (stored.isPresent()) {
                State state = restored(stored.get());
                if (state != null) {
                    return state;
                }
                unreadable.run();
            }
        }
        return null;
    }

    /** Null if it cannot be used: an older one, or the journal alone, gives the same state. */
    private @Nullable State restored(SnapshotStore.Stored stored) {
        if (stored.codeVersion() > Journal.CODE_VERSION) {
            LOG.warn(
                    "pool {}: the snapshot of seq {} is of code version {}, this is {}: passed"
                            + " over",
                    pool,
                    stored.seq(),
                    stored.codeVersion(),
                    Journal.CODE_VERSION);
            return null;
        }
        try {
            PoolCore core = PoolCore.load(SnapshotCodec.decode(stored.body()), settings);
            if (core.seq() == stored.seq() && Arrays.equals(core.stateHash(), stored.stateHash())) {
                return new State(core, stored.positions());
            }
            LOG.warn(
                    "pool {}: the snapshot of seq {} has another hash than it was written with:"
                            + " passed over",
                    pool,
                    stored.seq());
        } catch (RuntimeException e) {
            LOG.warn(
                    "pool {}: the snapshot of seq {} cannot be read: passed over ({})",
                    pool,
                    stored.seq(),
                    e.getMessage());
        }
        return null;
    }
}
