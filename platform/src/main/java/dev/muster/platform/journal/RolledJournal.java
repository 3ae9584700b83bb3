package dev.muster.platform.journal;

import dev.muster.domain.PoolId;
import dev.muster.platform.codec.JournalPart;
import dev.muster.platform.codec.Malformed;
import dev.muster.platform.sql.Database;
import dev.muster.platform.sql.StatementFailed;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Makes the journal whole for who reads it: where the rows in PostgreSQL do not follow on what was
 * read before, it looks for those that were rolled to the object store. Who never reads so far back
 * never pays for it.
 *
 * <p>Read PostgreSQL first: rows leave it in the transaction that says where they are now.
 */
public final class RolledJournal {

    private static final String COLUMNS = "SELECT first_seq, object, bytes, sha256 ";
    private static final String UNDEFINED_TABLE = "42P01";

    /**
     * How a reader sees a row.
     *
     * @param <T> its own form of one
     */
    public interface Form<T> {
        long firstSeq(T row);

        long lastSeq(T row);

        T of(JournalPart.Row row);
    }

    private record Part(long firstSeq, RolledStore.Stored stored) {}

    private record Unpacked(String object, List<JournalPart.Row> rows) {}

    private final Database database;
    private final RolledStore store;

    /** The last part read: its rows are asked for page by page. */
    private volatile @Nullable Unpacked last;

    public RolledJournal(Database database) {
        this.database = database;
        this.store = RolledStore.of(database.settings());
    }

    /**
     * The rows that follow on a seq, without a gap as far as they are anywhere.
     *
     * @param live what PostgreSQL has behind the seq, in order
     * @param most rows to return, of those that are rolled
     */
    public <T> Future<List<T>> completed(
            PoolId pool, long seq, List<T> live, int most, Form<T> form) {
        List<T> following = following(seq, live, form);
        if (!following.isEmpty()) {
            last = null;
            return Future.succeededFuture(following);
        }
        return parts(
                        COLUMNS
                                + "FROM scheduler.pub_rolled_part WHERE pool = $1 AND last_seq > $2"
                                + " ORDER BY last_seq LIMIT 1",
                        Tuple.of(pool.value(), seq))
                .compose(found -> {
                    boolean liveFirst =
                            !found.isEmpty()
                                    && !live.isEmpty()
                                    && form.firstSeq(live.getFirst()) < found.getFirst().firstSeq();
                    if (found.isEmpty() || liveFirst) {
                        return Future.succeededFuture(live);
                    }
                    return database.blocking(() -> rows(found.getFirst(), seq, most, form));
                });
    }

    /** As far as they follow on the seq and on each other. */
    private static <T> List<T> following(long seq, List<T> live, Form<T> form) {
        long next = seq + 1;
        int count = 0;
        for (T row : live) {
            boolean follows =
                    form.firstSeq(row) == next || (count == 0 && form.firstSeq(row) < next);
            if (!follows) {
                break;
            }
            next = form.lastSeq(row) + 1;
            count++;
        }
        return count == live.size() ? live : live.subList(0, count);
    }

    private <T> List<T> rows(Part part, long seq, int most, Form<T> form) {
        return unpacked(part).stream()
                .filter(row -> row.lastSeq() > seq)
                .limit(most)
                .map(form::of)
                .toList();
    }

    /**
     * The rolled rows that hold any of some runs of seqs, in order.
     *
     * @param runs first seqs
     * @param seqs that each run covers
     */
    public <T> Future<List<T>> runs(
            PoolId pool, List<Long> runs, int seqs, Function<JournalPart.Row, T> form) {
        String sql =
                COLUMNS
                        + "FROM scheduler.pub_rolled_part p WHERE pool = $1 AND EXISTS (SELECT FROM"
                        + " unnest($2::bigint[]) AS r(seq) WHERE p.last_seq >= r.seq"
                        + " AND p.first_seq < r.seq + $3) ORDER BY last_seq";
        return parts(sql, Tuple.of(pool.value(), runs.toArray(Long[]::new), seqs))
                .compose(found ->
                        found.isEmpty()
                                ? Future.succeededFuture(List.of())
                                : database.blocking(() -> runs(found, runs, seqs, form)));
    }

    private <T> List<T> runs(
            List<Part> parts, List<Long> runs, int seqs, Function<JournalPart.Row, T> form) {
        List<T> found = new ArrayList<>();
        for (Part part : parts) {
            for (JournalPart.Row row : unpacked(part)) {
                if (runs.stream()
                        .anyMatch(run -> row.lastSeq() >= run && row.firstSeq() < run + seqs)) {
                    found.add(form.apply(row));
                }
            }
        }
        return found;
    }

    private List<JournalPart.Row> unpacked(Part part) {
        String object = part.stored().object();
        Unpacked known = last;
        if (known != null && known.object().equals(object)) {
            return known.rows();
        }
        byte[] content = store.read(part.stored());
        try {
            Unpacked fresh = new Unpacked(object, JournalPart.decode(content));
            last = fresh;
            return fresh.rows();
        } catch (Malformed e) {
            throw new RolledUnreadable(
                    "the part "
                            + object
                            + " of the rolled journal cannot be read by this version: start the"
                            + " one that wrote it or a newer one",
                    e);
        }
    }

    private Future<List<Part>> parts(String sql, Tuple parameters) {
        return database.query(sql, parameters)
                .map(RolledJournal::parts)
                .recover(cause ->
                        // a scheduler of before rolls nothing
                        cause instanceof StatementFailed failed
                                        && failed.sqlState().equals(UNDEFINED_TABLE)
                                ? Future.succeededFuture(List.of())
                                : Future.failedFuture(cause));
    }

    private static List<Part> parts(RowSet<Row> rows) {
        List<Part> parts = new ArrayList<>();
        for (Row row : rows) {
            parts.add(
                    new Part(
                            row.getLong("first_seq"),
                            new RolledStore.Stored(
                                    row.getString("object"),
                                    row.getInteger("bytes"),
                                    row.getString("sha256"))));
        }
        return parts;
    }
}
