package dev.muster.scheduler;

import dev.muster.platform.codec.JournalPart;
import dev.muster.platform.journal.RolledStore;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Transaction;
import io.vertx.sqlclient.Tuple;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Moves old weeks of the journal to the object store: writes and reads back their parts, then takes
 * the rows out of PostgreSQL in the transaction that says where they are. Whoever holds an advisory
 * lock does it, on the session that holds it; wherever that ends, the next one begins the week
 * again. Blocks.
 */
final class JournalRoll {

    private static final Logger LOG = LoggerFactory.getLogger(JournalRoll.class);

    private static final String LOCK = "hashtext('scheduler.journal_roll')";
    private static final int PART_ROWS = 1000;
    private static final long PART_BYTES = 4L << 20;

    /** Appends wait meanwhile: so it asks again rather than long. */
    private static final int LOCK_MILLIS = 250;

    private static final int LOCK_TRIES = 20;

    private record Week(String name, String source, OffsetDateTime begins) {

        /** Whether its rows lie among those that no partition was made for. */
        boolean amongOthers() {
            return source.equals("journal_other");
        }

        /**
         * A condition for its rows: a partition of its own is taken as a whole, whatever its bounds
         * are.
         *
         * @param begins the place of a parameter that this takes
         */
        String isOf(String begins) {
            String time = begins + "::timestamptz";
            return amongOthers()
                    ? "at >= " + time + " AND at < " + time + " + interval '168 hours'"
                    : time + " IS NOT NULL";
        }
    }

    private record Part(String pool, long firstSeq, long lastSeq, int rows, RolledStore.Stored at) {
        JsonObject json() {
            return new JsonObject()
                    .put("pool", pool)
                    .put("firstSeq", firstSeq)
                    .put("lastSeq", lastSeq)
                    .put("rows", rows)
                    .put("object", at.object())
                    .put("bytes", at.bytes())
                    .put("sha256", at.sha256());
        }
    }

    private record Written(List<Part> parts, RolledStore.Stored manifest) {
        long rows() {
            return parts.stream().mapToLong(Part::rows).sum();
        }
    }

    private final Database database;
    private final RolledStore store;
    private final int keepWeeks;
    private final BooleanSupplier stopping;

    JournalRoll(Database database, int keepWeeks, BooleanSupplier stopping) {
        this.database = database;
        this.store = RolledStore.of(database.settings());
        this.keepWeeks = keepWeeks;
        this.stopping = stopping;
    }

    /**
     * Rolls all weeks that are old enough and that nobody needs in PostgreSQL.
     *
     * @return how many; none where another process rolls
     */
    int run() throws InterruptedException, IOException {
        SqlConnection session = Awaited.get(database.pool().getConnection());
        try {
            if (!locked(session)) {
                return 0;
            }
            try {
                run(session, "SET statement_timeout = 600000");
                return rollAll(session);
            } finally {
                // a session that is gone has let go of it already
                Awaited.get(
                        session.query("RESET statement_timeout")
                                .execute()
                                .compose(_ ->
                                        session.query("SELECT pg_advisory_unlock(" + LOCK + ")")
                                                .execute())
                                .mapEmpty()
                                .otherwiseEmpty());
            }
        } finally {
            Awaited.get(session.close().otherwiseEmpty());
        }
    }

    private static boolean locked(SqlConnection session) throws InterruptedException {
        return Awaited.get(
                        session.query("SELECT pg_try_advisory_lock(" + LOCK + ") AS locked")
                                .execute())
                .iterator()
                .next()
                .getBoolean("locked");
    }

    private int rollAll(SqlConnection session) throws InterruptedException, IOException {
        int rolled = 0;
        for (Row row :
                rows(
                        session,
                        "SELECT * FROM scheduler.old_journal_weeks($1)",
                        Tuple.of(keepWeeks))) {
            Week week =
                    new Week(
                            row.getString("week"),
                            row.getString("source"),
                            row.getOffsetDateTime("begins"));
            if (stopping.getAsBoolean()) {
                return rolled;
            }
            rolled += roll(session, week) ? 1 : 0;
        }
        return rolled;
    }

    private boolean roll(SqlConnection session, Week week)
            throws InterruptedException, IOException {
        List<String> needed = needed(session, week);
        if (!needed.isEmpty()) {
            LOG.info("week {} of the journal stays: {}", week.name(), String.join("; ", needed));
            return false;
        }
        RollStep.CHOSEN.reach();
        List<Part> parts = new ArrayList<>();
        if (!write(session, week, parts)) {
            return false;
        }
        Written written = new Written(List.copyOf(parts), manifest(week, parts));
        RollStep.WRITTEN.reach();
        if (!take(session, week, written)) {
            return false;
        }
        RollStep.ROLLED.reach();
        LOG.info(
                "week {} of the journal is rolled: {} rows in {} parts, {}",
                week.name(),
                written.rows(),
                parts.size(),
                written.manifest().object());
        return true;
    }

    /** Who has not passed the week's last row of a pool. */
    private List<String> needed(SqlConnection session, Week week) throws InterruptedException {
        List<String> needed = new ArrayList<>();
        String young =
                "SELECT at::text FROM scheduler."
                        + week.source()
                        + " WHERE at >= now() - $1::int * interval '168 hours' LIMIT 1";
        if (!week.amongOthers() && rows(session, young, Tuple.of(keepWeeks)).size() > 0) {
            needed.add("it has rows that are younger than it says");
        }
        String sql =
                """
                SELECT h.pool, l.last_seq AS last FROM scheduler.pool_head h, LATERAL (
                  SELECT last_seq FROM scheduler.%s j WHERE j.pool = h.pool AND %s
                  ORDER BY last_seq DESC LIMIT 1) l\
                """
                        .formatted(week.source(), week.isOf("$1"));
        for (Row row : rows(session, sql, Tuple.of(week.begins()))) {
            String pool = row.getString("pool");
            needed.addAll(
                    RollNeeds.of(
                            question -> rows(session, question, Tuple.of(pool)),
                            row.getLong("last")));
        }
        return needed;
    }

    /** False when the service stops meanwhile. */
    private boolean write(SqlConnection session, Week week, List<Part> parts)
            throws InterruptedException, IOException {
        String pool = "";
        long seq = 0;
        while (!stopping.getAsBoolean()) {
            RowSet<Row> page = page(session, week, pool, seq);
            if (page.size() == 0) {
                return true;
            }
            List<JournalPart.Row> following = new ArrayList<>();
            for (Row row : page) {
                boolean follows =
                        row.getString("pool").equals(pool) && row.getLong("first_seq") == seq + 1;
                if (!follows && !following.isEmpty()) {
                    parts.add(write(week, pool, following));
                    following.clear();
                }
                following.add(partRow(row));
                pool = row.getString("pool");
                seq = row.getLong("last_seq");
            }
            parts.add(write(week, pool, following));
        }
        return false;
    }

    /** A bounded page of a week's rows of all pools. */
    private static RowSet<Row> page(SqlConnection session, Week week, String pool, long seq)
            throws InterruptedException {
        String sql =
                """
                SELECT pool, first_seq, last_seq, (extract(epoch FROM at) * 1000000)::bigint AS at_us,
                  at_ms, epoch, code_version, policy_version, positions::text AS positions, body
                FROM (
                  SELECT *, row_number() OVER w AS place, sum(octet_length(body)) OVER w AS bytes
                  FROM (
                    SELECT * FROM scheduler.%s
                    WHERE (pool, last_seq) > ($1, $2) AND %s
                    ORDER BY pool, last_seq LIMIT $4) AS page
                  WINDOW w AS (ORDER BY pool, last_seq)) AS measured
                WHERE place = 1 OR bytes <= $5
                ORDER BY pool, last_seq\
                """
                        .formatted(week.source(), week.isOf("$3"));
        return rows(session, sql, Tuple.of(pool, seq, week.begins(), PART_ROWS, PART_BYTES));
    }

    private Part write(Week week, String pool, List<JournalPart.Row> rows) throws IOException {
        long first = rows.getFirst().firstSeq();
        long last = rows.getLast().lastSeq();
        RolledStore.Stored stored =
                store.write(
                        "%s/%s/%012d-%012d".formatted(week.name(), pool, first, last),
                        ".zst",
                        JournalPart.encode(rows));
        RollStep.PART_WRITTEN.reach();
        return new Part(pool, first, last, rows.size(), stored);
    }

    private static JournalPart.Row partRow(Row row) {
        return new JournalPart.Row(
                row.getLong("first_seq"),
                row.getLong("last_seq"),
                row.getLong("at_us"),
                row.getLong("at_ms"),
                row.getLong("epoch"),
                row.getInteger("code_version"),
                row.getInteger("policy_version"),
                row.getString("positions"),
                row.getBuffer("body").getBytes());
    }

    private RolledStore.Stored manifest(Week week, List<Part> parts) throws IOException {
        JsonArray listed = new JsonArray();
        parts.forEach(part -> listed.add(part.json()));
        JsonObject manifest =
                new JsonObject().put("format", 1).put("week", week.name()).put("parts", listed);
        return store.write(
                week.name() + "/manifest",
                ".json",
                manifest.encode().getBytes(StandardCharsets.UTF_8));
    }

    /** False when the locks cannot be had. */
    private boolean take(SqlConnection session, Week week, Written written)
            throws InterruptedException {
        for (int attempt = 1; attempt <= LOCK_TRIES && !stopping.getAsBoolean(); attempt++) {
            try {
                takeOnce(session, week, written);
                return true;
            } catch (io.vertx.pgclient.PgException e) {
                if (!"55P03".equals(e.getSqlState())) {
                    throw e;
                }
                Thread.sleep(LOCK_MILLIS);
            }
        }
        LOG.info("week {} of the journal stays: a long reader is in its way", week.name());
        return false;
    }

    private static void takeOnce(SqlConnection session, Week week, Written written)
            throws InterruptedException {
        Transaction transaction = Awaited.get(session.begin());
        try {
            run(session, "SET LOCAL lock_timeout = " + LOCK_MILLIS);
            // nobody adds to it any more, and what was written is all that it has
            run(
                    session,
                    "LOCK TABLE scheduler."
                            + week.source()
                            + (week.amongOthers() ? " IN EXCLUSIVE MODE" : " IN SHARE MODE"));
            check(session, week, written);
            // before all appends wait
            if (!written.parts().isEmpty()) {
                enter(session, week, written);
            }
            if (week.amongOthers()) {
                rows(
                        session,
                        "DELETE FROM scheduler.journal_other WHERE " + week.isOf("$1"),
                        Tuple.of(week.begins()));
            } else {
                run(
                        session,
                        "ALTER TABLE scheduler.journal DETACH PARTITION scheduler."
                                + week.source());
                run(session, "DROP TABLE scheduler." + week.source());
            }
            RollStep.DROPPED.reach();
            Awaited.get(transaction.commit());
        } catch (RuntimeException e) {
            Awaited.get(transaction.rollback().otherwiseEmpty());
            throw e;
        }
    }

    private static void check(SqlConnection session, Week week, Written written)
            throws InterruptedException {
        String sql =
                "SELECT count(*) AS rows FROM scheduler."
                        + week.source()
                        + " WHERE "
                        + week.isOf("$1");
        for (Row row : rows(session, sql, Tuple.of(week.begins()))) {
            if (row.getLong("rows") != written.rows()) {
                throw new IllegalStateException(
                        "week "
                                + week.name()
                                + " of the journal has "
                                + row.getLong("rows")
                                + " rows, and "
                                + written.rows()
                                + " were written: it stays");
            }
        }
    }

    private static void enter(SqlConnection session, Week week, Written written)
            throws InterruptedException {
        RolledStore.Stored manifest = written.manifest();
        rows(
                session,
                "INSERT INTO scheduler.rolled_week (manifest, bytes, sha256, week, parts, rows)"
                        + " VALUES ($1, $2, $3, $4, $5, $6)",
                Tuple.of(manifest.object(), manifest.bytes(), manifest.sha256(), week.name())
                        .addInteger(written.parts().size())
                        .addLong(written.rows()));
        List<Tuple> parts = new ArrayList<>();
        for (Part each : written.parts()) {
            parts.add(
                    Tuple.of(each.pool(), each.firstSeq(), each.lastSeq(), each.rows())
                            .addString(each.at().object())
                            .addInteger(each.at().bytes())
                            .addString(each.at().sha256())
                            .addString(manifest.object()));
        }
        Future<RowSet<Row>> entered =
                session.preparedQuery(
                                "INSERT INTO scheduler.rolled_part (pool, first_seq, last_seq,"
                                        + " rows, object, bytes, sha256, manifest)"
                                        + " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)")
                        .executeBatch(parts);
        Awaited.get(entered);
    }

    private static void run(SqlConnection session, String sql) throws InterruptedException {
        Awaited.get(session.query(sql).execute());
    }

    private static RowSet<Row> rows(SqlConnection session, String sql, Tuple parameters)
            throws InterruptedException {
        return Awaited.get(session.preparedQuery(sql).execute(parameters));
    }
}
