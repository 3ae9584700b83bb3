package dev.muster.simulation;

import dev.muster.scheduler.CommittedRow;
import dev.muster.scheduler.JournalRow;
import dev.muster.scheduler.LaneVector;
import dev.muster.scheduler.StoredSnapshot;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The schema of the scheduler: the head that fences, the journal, the snapshots. */
final class JournalTable {

    private static final int PAGE_ROWS = 100;
    private static final int KEPT_SNAPSHOTS = 3;

    /**
     * The row that fences, as its taker reads it.
     *
     * @param positions as JSON, as in its column
     */
    record Head(
            long epoch,
            long seq,
            long atMillis,
            String positions,
            String offsets,
            String holder,
            long outageFromMillis) {}

    /**
     * What an append writes.
     *
     * @param committed what those behind the leader get of it
     */
    record Append(
            long epoch,
            JournalRow row,
            CommittedRow committed,
            String positions,
            String offsets,
            long beatMillis) {}

    private final World world;
    private final TreeMap<Long, JournalRow> rows = new TreeMap<>();

    /** The same rows decoded: what one reader makes of the bytes, all make of them. */
    private final TreeMap<Long, CommittedRow> decoded = new TreeMap<>();

    private final TreeMap<Long, StoredSnapshot> snapshots = new TreeMap<>();
    private Head head = new Head(0, 0, 0, "{}", "{}", "", 0);
    private long leaseUntil = Long.MIN_VALUE;
    private long beatMillis;

    JournalTable(World world) {
        this.world = world;
    }

    Head head() {
        return head;
    }

    /** Null while another one leads. */
    @Nullable Head take(String holder, long ownEpoch, long nowMillis, long leaseMillis) {
        boolean own = head.holder.equals(holder) && (ownEpoch < 0 || ownEpoch == head.epoch);
        if (leaseUntil >= world.clock.now() && !own) {
            return null;
        }
        leaseUntil = world.clock.now() + leaseMillis;
        head =
                new Head(
                        head.epoch + 1,
                        head.seq,
                        head.atMillis,
                        head.positions,
                        head.offsets,
                        holder,
                        Math.max(beatMillis, head.atMillis));
        beatMillis = nowMillis;
        return head;
    }

    boolean renew(long epoch, long nowMillis, long leaseMillis) {
        if (head.epoch != epoch) {
            return false;
        }
        beatMillis = nowMillis;
        leaseUntil = world.clock.now() + leaseMillis;
        return true;
    }

    /** Fence and append. */
    boolean append(Append append, long leaseMillis) {
        JournalRow row = append.row;
        if (head.epoch != append.epoch || head.seq != row.firstSeq() - 1) {
            return false;
        }
        renew(append.epoch, append.beatMillis, leaseMillis);
        head =
                new Head(
                        head.epoch,
                        row.lastSeq(),
                        row.atMillis(),
                        append.positions,
                        append.offsets,
                        head.holder,
                        head.outageFromMillis);
        rows.put(row.lastSeq(), row);
        CommittedRow committed = row.committed();
        decoded.put(row.lastSeq(), committed);
        world.oracle.committed(row, committed);
        return true;
    }

    List<JournalRow> after(long seq) {
        return page(rows, seq);
    }

    List<CommittedRow> committedAfter(long seq) {
        return page(decoded, seq);
    }

    private static <T> List<T> page(NavigableMap<Long, T> of, long seq) {
        List<T> page = new ArrayList<>();
        for (T each : of.tailMap(seq, false).values()) {
            page.add(each);
            if (page.size() == PAGE_ROWS) {
                break;
            }
        }
        return page;
    }

    /** 0 while nothing of the lane is journalled. */
    long position(String lane) {
        return LaneVector.read(head.positions).getOrDefault(lane, 0L);
    }

    boolean write(StoredSnapshot snapshot) {
        snapshots.put(snapshot.seq(), snapshot);
        while (snapshots.size() > KEPT_SNAPSHOTS) {
            snapshots.pollFirstEntry();
        }
        return true;
    }

    /** The newest first. */
    List<StoredSnapshot> snapshots() {
        return List.copyOf(snapshots.descendingMap().values());
    }
}
