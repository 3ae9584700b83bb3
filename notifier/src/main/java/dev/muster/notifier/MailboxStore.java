package dev.muster.notifier;

import dev.muster.platform.sql.Writer;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Mailboxes and their deliveries in the table. Every statement is about many of them. */
final class MailboxStore {

    private static final String CLAIM =
            """
            WITH due AS (
                SELECT id FROM notifier.mailbox b
                WHERE last_seq > low_seq AND (owner IS NULL OR lease_until < clock_timestamp())
                    AND EXISTS (
                        SELECT FROM gateway.pub_subscription s
                        WHERE s.id = b.subscription AND NOT s.deleted)%s
                ORDER BY id LIMIT $3
                FOR UPDATE SKIP LOCKED
            )
            UPDATE notifier.mailbox m
            SET owner = $1, claim = m.claim + 1,
                lease_until = clock_timestamp() + $2 * interval '1 ms'
            FROM due WHERE m.id = due.id
            RETURNING m.id, m.subscription, m.pool, m.claim, m.low_seq, m.pokes\
            """;

    private static final String CLAIM_ANY = CLAIM.formatted("");
    private static final String CLAIM_THESE = CLAIM.formatted("\n        AND id = ANY($4)");

    private static final String RENEW =
            """
            WITH held AS (
                SELECT m.id, r.low, r.pokes
                FROM notifier.mailbox m
                JOIN unnest($2::int[], $3::bigint[], $4::bigint[], $5::int[])
                    AS r(id, claim, low, pokes) ON m.id = r.id AND m.claim = r.claim
                ORDER BY m.id FOR UPDATE OF m
            )
            UPDATE notifier.mailbox m
            SET lease_until = clock_timestamp() + $1 * interval '1 ms',
                low_seq = CASE WHEN m.pokes = held.pokes THEN GREATEST(m.low_seq, held.low)
                    ELSE m.low_seq END
            FROM held WHERE m.id = held.id
            RETURNING m.id, m.pokes, m.low_seq\
            """;

    private static final String RELEASE =
            """
            UPDATE notifier.mailbox m
            SET owner = NULL, low_seq = GREATEST(m.low_seq, r.cursor)
            FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::int[])
                AS r(id, claim, cursor, pokes)
            WHERE m.id = r.id AND m.claim = r.claim AND m.pokes = r.pokes
                AND m.last_seq <= r.cursor
            RETURNING m.id\
            """;

    private static final String LOAD =
            """
            SELECT r.id, p.seq AS position, d.seq, d.job, d.born_ms, d.due_ms, d.attempts
            FROM unnest($1::int[], $2::bigint[], $3::text[], $4::int[])
                AS r(id, cursor, pool, rows)
            JOIN notifier.position p ON p.pool = r.pool
            LEFT JOIN LATERAL (
                SELECT seq, job, born_ms, due_ms, attempts FROM notifier.delivery
                WHERE mailbox = r.id AND seq > r.cursor AND state = 0
                ORDER BY seq LIMIT r.rows) d ON true\
            """;

    private static final String MESSAGES =
            """
            SELECT m.pool, m.seq, m.job, m.project, m.type, m.at_ms, m.body
            FROM unnest($1::text[], $2::bigint[]) AS r(pool, seq)
            JOIN notifier.message m ON m.pool = r.pool AND m.seq = r.seq\
            """;

    private static final String REVIVE =
            """
            WITH revived AS (
                UPDATE notifier.delivery d
                SET state = 0, attempts = 0, due_ms = 0, ended_ms = 0, born_ms = $4
                FROM notifier.mailbox b
                WHERE b.subscription = $1 AND b.pool = $2 AND d.mailbox = b.id AND d.seq = $3
                    AND d.state = 2
                RETURNING d.mailbox, d.seq
            ), buried AS (
                DELETE FROM notifier.dead_letter l USING revived r
                WHERE l.mailbox = r.mailbox AND l.seq = r.seq
            )
            UPDATE notifier.mailbox m
            SET low_seq = LEAST(m.low_seq, r.seq - 1), last_seq = GREATEST(m.last_seq, r.seq),
                pokes = m.pokes + 1
            FROM revived r WHERE m.id = r.mailbox
            RETURNING m.id, m.pokes, m.low_seq\
            """;

    private static final String STATE =
            """
            SELECT d.state FROM notifier.delivery d JOIN notifier.mailbox b ON b.id = d.mailbox
            WHERE b.subscription = $1 AND b.pool = $2 AND d.seq = $3\
            """;

    private final Writer writer;
    private final String owner;
    private final int leaseMillis;

    MailboxStore(Writer writer, String owner, int leaseMillis) {
        this.writer = writer;
        this.owner = owner;
        this.leaseMillis = leaseMillis;
    }

    /** What a process of this id held before it ended may be claimed at once. */
    Future<Void> giveUpFormer() {
        return writer.execute(
                        "UPDATE notifier.mailbox SET lease_until = '-infinity' WHERE owner = $1",
                        Tuple.of(owner))
                .mapEmpty();
    }

    /**
     * @param these mailboxes alone; empty for any
     */
    Future<List<Mailbox.Claim>> claim(Collection<Integer> these, int atMost) {
        Tuple tuple = Tuple.of(owner, leaseMillis, atMost);
        String sql = CLAIM_ANY;
        if (!these.isEmpty()) {
            sql = CLAIM_THESE;
            tuple.addArrayOfInteger(these.toArray(Integer[]::new));
        }
        return writer.execute(sql, tuple)
                .map(rows -> {
                    List<Mailbox.Claim> claims = new ArrayList<>(rows.size());
                    for (Row row : rows) {
                        claims.add(
                                new Mailbox.Claim(
                                        row.getInteger("id"),
                                        row.getUUID("subscription"),
                                        row.getString("pool"),
                                        row.getLong("claim"),
                                        row.getLong("low_seq"),
                                        row.getInteger("pokes")));
                    }
                    return claims;
                });
    }

    /** What the table says of a mailbox that is still held. */
    record Renewed(int pokes, long lowSeq) {}

    /** Those that are not in the answer are held no more. */
    Future<Map<Integer, Renewed>> renew(List<Mailbox> held) {
        Tuple tuple =
                Tuple.of(leaseMillis)
                        .addArrayOfInteger(held.stream().map(Mailbox::id).toArray(Integer[]::new))
                        .addArrayOfLong(held.stream().map(Mailbox::claim).toArray(Long[]::new))
                        .addArrayOfLong(held.stream().map(Mailbox::lowSeq).toArray(Long[]::new))
                        .addArrayOfInteger(
                                held.stream().map(Mailbox::pokes).toArray(Integer[]::new));
        return writer.execute(RENEW, tuple).map(MailboxStore::renewed);
    }

    private static Map<Integer, Renewed> renewed(RowSet<Row> rows) {
        Map<Integer, Renewed> all = new HashMap<>();
        for (Row row : rows) {
            all.put(
                    row.getInteger("id"),
                    new Renewed(row.getInteger("pokes"), row.getLong("low_seq")));
        }
        return all;
    }

    /** Ids of those that are given back; the others have news. */
    Future<List<Integer>> release(List<Mailbox> idle) {
        Tuple tuple =
                Tuple.tuple()
                        .addArrayOfInteger(idle.stream().map(Mailbox::id).toArray(Integer[]::new))
                        .addArrayOfLong(idle.stream().map(Mailbox::claim).toArray(Long[]::new))
                        .addArrayOfLong(idle.stream().map(Mailbox::cursor).toArray(Long[]::new))
                        .addArrayOfInteger(
                                idle.stream().map(Mailbox::pokes).toArray(Integer[]::new));
        return writer.execute(RELEASE, tuple)
                .map(rows -> {
                    List<Integer> ids = new ArrayList<>();
                    rows.forEach(row -> ids.add(row.getInteger("id")));
                    return ids;
                });
    }

    /**
     * A delivery that has not ended.
     *
     * @param seq with the mailbox's pool the name of its message
     */
    record Pending(long seq, long bornMillis, long dueMillis, int attempts) {}

    /**
     * A part of a mailbox.
     *
     * @param position up to which events have become deliveries
     */
    record Page(long position, List<Pending> pending) {}

    /**
     * @param rows of each mailbox, at most
     */
    Future<Map<Integer, Page>> load(List<Mailbox> mailboxes, List<Integer> rows) {
        Tuple tuple =
                Tuple.tuple()
                        .addArrayOfInteger(
                                mailboxes.stream().map(Mailbox::id).toArray(Integer[]::new))
                        .addArrayOfLong(
                                mailboxes.stream().map(Mailbox::cursor).toArray(Long[]::new))
                        .addArrayOfString(
                                mailboxes.stream().map(Mailbox::pool).toArray(String[]::new))
                        .addArrayOfInteger(rows.toArray(Integer[]::new));
        return writer.execute(LOAD, tuple).map(MailboxStore::pages);
    }

    private static Map<Integer, Page> pages(RowSet<Row> rows) {
        Map<Integer, Page> pages = new HashMap<>();
        for (Row row : rows) {
            long position = row.getLong("position");
            Page page =
                    pages.computeIfAbsent(
                            row.getInteger("id"), _ -> new Page(position, new ArrayList<>()));
            Long seq = row.getLong("seq");
            if (seq != null) {
                page.pending.add(
                        new Pending(
                                seq,
                                row.getLong("born_ms"),
                                row.getLong("due_ms"),
                                row.getShort("attempts")));
            }
        }
        return pages;
    }

    /** Names a message. */
    record MessageKey(String pool, long seq) {}

    Future<List<Message>> messages(Collection<MessageKey> keys) {
        Tuple tuple =
                Tuple.tuple()
                        .addArrayOfString(
                                keys.stream().map(MessageKey::pool).toArray(String[]::new))
                        .addArrayOfLong(keys.stream().map(MessageKey::seq).toArray(Long[]::new));
        return writer.execute(MESSAGES, tuple)
                .map(rows -> {
                    List<Message> messages = new ArrayList<>(rows.size());
                    for (Row row : rows) {
                        Buffer body = row.getBuffer("body");
                        messages.add(
                                new Message(
                                        row.getString("pool"),
                                        row.getLong("seq"),
                                        row.getUUID("job"),
                                        row.getString("project"),
                                        row.getString("type"),
                                        row.getLong("at_ms"),
                                        body.getBytes(),
                                        body));
                    }
                    return messages;
                });
    }

    Future<Void> settle(Map<Delivery, Results.Result> results) {
        int size = results.size();
        Integer[] mailboxes = new Integer[size];
        Long[] seqs = new Long[size];
        Short[] states = new Short[size];
        Short[] attempts = new Short[size];
        Short[] statuses = new Short[size];
        Long[] dues = new Long[size];
        Long[] ends = new Long[size];
        String[] errors = new String[size];
        int i = 0;
        for (Map.Entry<Delivery, Results.Result> each : results.entrySet()) {
            Results.Result result = each.getValue();
            mailboxes[i] = each.getKey().mailbox().id();
            seqs[i] = each.getKey().seq();
            states[i] = result.state().number();
            attempts[i] = (short) result.attempts();
            statuses[i] = (short) result.status();
            dues[i] = result.dueMillis();
            ends[i] = result.endedMillis();
            errors[i] = result.error();
            i++;
        }
        Tuple tuple =
                Tuple.tuple()
                        .addArrayOfInteger(mailboxes)
                        .addArrayOfLong(seqs)
                        .addArrayOfShort(states)
                        .addArrayOfShort(attempts)
                        .addArrayOfShort(statuses)
                        .addArrayOfLong(dues)
                        .addArrayOfLong(ends)
                        .addArrayOfString(errors);
        return writer.execute("SELECT notifier.settle($1, $2, $3, $4, $5, $6, $7, $8)", tuple)
                .mapEmpty();
    }

    /** A mailbox in which a delivery waits again. */
    record Revived(int mailbox, Renewed now) {}

    /** Empty if the delivery is not dead. */
    Future<Optional<Revived>> revive(Delivery.Id id, long nowMillis) {
        return writer.execute(REVIVE, Tuple.of(id.subscription(), id.pool(), id.seq(), nowMillis))
                .map(rows -> {
                    Optional<Revived> revived = Optional.empty();
                    for (Row row : rows) {
                        revived =
                                Optional.of(
                                        new Revived(
                                                row.getInteger("id"),
                                                new Renewed(
                                                        row.getInteger("pokes"),
                                                        row.getLong("low_seq"))));
                    }
                    return revived;
                });
    }

    /** Empty if there is no such delivery. */
    Future<Optional<Delivery.State>> state(Delivery.Id id) {
        UUID subscription = id.subscription();
        return writer.execute(STATE, Tuple.of(subscription, id.pool(), id.seq()))
                .map(rows -> {
                    Optional<Delivery.State> state = Optional.empty();
                    for (Row row : rows) {
                        state = Optional.of(Delivery.State.of(row.getShort("state")));
                    }
                    return state;
                });
    }
}
