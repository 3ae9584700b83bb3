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

/** A core and the lanes' positions at its seq, folded from the journal. One thread's own. */
public final class PoolFold {

    private static final Logger LOG = LoggerFactory.getLogger(PoolFold.class);

    private final PoolCore core;
    private Map<String, Long> positions;

    private PoolFold(PoolCore core, Map<String, Long> positions) {
        this.core = core;
        this.positions = positions;
    }

    /** Before the first row. */
    public static PoolFold empty(PoolId pool, CoreSettings settings) {
        return new PoolFold(PoolCore.empty(pool, settings), Map.of());
    }

    static PoolFold of(PoolCore core, Map<String, Long> positions) {
        return new PoolFold(core, positions);
    }

    /** Null if it cannot be used: an older one, or the journal alone, gives the same state. */
    public static @Nullable PoolFold restored(
            PoolId pool, StoredSnapshot stored, CoreSettings settings) {
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
                return new PoolFold(core, stored.positions());
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

    public PoolCore core() {
        return core;
    }

    public Map<String, Long> positions() {
        return positions;
    }

    /**
     * Folds the next row.
     *
     * @throws UnreadableJournal if rows are missing before it
     */
    public void fold(CommittedRow row) {
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
