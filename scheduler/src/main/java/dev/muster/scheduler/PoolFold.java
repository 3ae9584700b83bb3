package dev.muster.scheduler;

import dev.muster.core.CoreSettings;
import dev.muster.core.PoolCore;
import dev.muster.domain.Event;
import dev.muster.domain.PoolId;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.sql.StatementFailed;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

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

    /**
     * Null if it cannot be used, whatever the reason: an older one, or the journal alone, gives the
     * same state. Blocks.
     *
     * @param body opens the snapshot's bytes
     * @throws StatementFailed if PostgreSQL does not give them
     */
    public static @Nullable PoolFold restored(
            PoolId pool, StoredSnapshot stored, Supplier<InputStream> body, CoreSettings settings)
            throws InterruptedException {
        if (stored.codeVersion() > JournalRow.CODE_VERSION) {
            passOver(
                    pool,
                    stored,
                    "it is of code version "
                            + stored.codeVersion()
                            + ", this version knows code versions up to "
                            + JournalRow.CODE_VERSION);
            return null;
        }
        try {
            return SnapshotLoading.load(stored, body.get(), settings);
        } catch (StatementFailed e) {
            throw e;
        } catch (RuntimeException | Error e) {
            // an error too: bytes that ask for more memory or stack than there is are unreadable
            passOver(pool, stored, e.toString());
            LOG.debug("pool {}: the snapshot of seq {}", pool, stored.seq(), e);
            return null;
        }
    }

    private static void passOver(PoolId pool, StoredSnapshot stored, @Nullable String why) {
        LOG.warn("pool {}: the snapshot of seq {} is passed over: {}", pool, stored.seq(), why);
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
