package dev.muster.notifier;

import dev.muster.domain.PoolId;
import dev.muster.platform.sql.Writer;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** A pool's position and what its events become: both in one statement. */
final class FeedStore {

    /** Without a position: from what the oldest subscription is to get, or from now on. */
    private static final String TAKE =
            """
            INSERT INTO notifier.position AS p (pool, seq, holder, lease_until)
            VALUES ($1,
                COALESCE(
                    (SELECT min(COALESCE((since ->> $1)::bigint, 0))
                        FROM gateway.pub_subscription WHERE NOT deleted),
                    (SELECT seq FROM scheduler.pub_pool_head WHERE pool = $1),
                    0),
                $2, clock_timestamp() + $3 * interval '1 ms')
            ON CONFLICT (pool) DO UPDATE
            SET holder = excluded.holder, lease_until = excluded.lease_until
            WHERE p.holder = excluded.holder OR p.lease_until < clock_timestamp()
            RETURNING seq\
            """;

    private static final String FOLD =
            """
            WITH moved AS (
                UPDATE notifier.position
                SET seq = $3, lease_until = clock_timestamp() + $5 * interval '1 ms'
                WHERE pool = $1 AND seq = $2 AND holder = $4
                RETURNING pool
            ), said AS (
                INSERT INTO notifier.message (pool, seq, job, project, type, at_ms, body)
                SELECT moved.pool, e.seq, e.job, e.project, e.type, e.at_ms, e.body
                FROM moved, unnest(
                    $6::bigint[], $7::uuid[], $8::text[], $9::text[], $10::bigint[], $11::bytea[])
                    AS e(seq, job, project, type, at_ms, body)
            ), sent AS (
                INSERT INTO notifier.delivery (mailbox, seq, job, born_ms)
                SELECT d.mailbox, d.seq, d.job, $15
                FROM moved, unnest($12::int[], $13::bigint[], $14::uuid[]) AS d(mailbox, seq, job)
            ), news AS (
                UPDATE notifier.mailbox m SET last_seq = n.last
                FROM moved, unnest($16::int[], $17::bigint[]) AS n(id, last)
                WHERE m.id = n.id
            )
            SELECT pool FROM moved\
            """;

    private static final String OPEN =
            """
            INSERT INTO notifier.mailbox (subscription, pool, last_seq, low_seq)
            SELECT s.id, $1, $2, $2 FROM unnest($3::uuid[]) AS s(id)
            ON CONFLICT (subscription, pool) DO NOTHING\
            """;

    private static final String IDS =
            """
            SELECT id, subscription FROM notifier.mailbox
            WHERE pool = $1 AND subscription = ANY($2)\
            """;

    private final Writer writer;
    private final PoolId pool;
    private final String holder;
    private final int leaseMillis;

    FeedStore(Writer writer, PoolId pool, String holder, int leaseMillis) {
        this.writer = writer;
        this.pool = pool;
        this.holder = holder;
        this.leaseMillis = leaseMillis;
    }

    /** The position if this notifier folds the pool, or −1 if another one does. */
    Future<Long> take() {
        return writer.execute(TAKE, Tuple.of(pool.value(), holder, leaseMillis))
                .map(rows -> {
                    for (Row row : rows) {
                        return row.getLong("seq");
                    }
                    return -1L;
                });
    }

    /** The mailboxes of some subscriptions in this pool, made where they are missing. */
    Future<Map<UUID, Integer>> mailboxes(Collection<UUID> subscriptions, long position) {
        UUID[] ids = subscriptions.toArray(UUID[]::new);
        return writer.execute(OPEN, Tuple.of(pool.value(), position).addArrayOfUUID(ids))
                .compose(_ -> writer.execute(IDS, Tuple.of(pool.value()).addArrayOfUUID(ids)))
                .map(rows -> {
                    Map<UUID, Integer> found = new HashMap<>();
                    rows.forEach(
                            row -> found.put(row.getUUID("subscription"), row.getInteger("id")));
                    return found;
                });
    }

    /**
     * What a part of a pool's events becomes.
     *
     * @param messages each that somebody gets, in order
     * @param deliveries in the same order
     */
    record Fold(long from, long to, List<Message> messages, List<Mailboxes.Fresh> deliveries) {}

    /** Returns whether the position was where it was believed to be. */
    Future<Boolean> fold(Fold fold, long nowMillis) {
        Tuple tuple = Tuple.of(pool.value(), fold.from, fold.to, holder, leaseMillis);
        addMessages(tuple, fold.messages);
        addDeliveries(tuple, fold.deliveries, nowMillis);
        return writer.execute(FOLD, tuple).map(rows -> rows.size() > 0);
    }

    private static void addMessages(Tuple tuple, List<Message> messages) {
        int size = messages.size();
        Long[] seqs = new Long[size];
        UUID[] jobs = new UUID[size];
        String[] projects = new String[size];
        String[] types = new String[size];
        Long[] times = new Long[size];
        Buffer[] bodies = new Buffer[size];
        for (int i = 0; i < size; i++) {
            Message message = messages.get(i);
            seqs[i] = message.seq();
            jobs[i] = message.job();
            projects[i] = message.project();
            types[i] = message.type();
            times[i] = message.atMillis();
            bodies[i] = message.buffer();
        }
        tuple.addArrayOfLong(seqs)
                .addArrayOfUUID(jobs)
                .addArrayOfString(projects)
                .addArrayOfString(types)
                .addArrayOfLong(times)
                .addArrayOfBuffer(bodies);
    }

    private static void addDeliveries(
            Tuple tuple, List<Mailboxes.Fresh> deliveries, long nowMillis) {
        int size = deliveries.size();
        Integer[] mailboxes = new Integer[size];
        Long[] seqs = new Long[size];
        UUID[] jobs = new UUID[size];
        Map<Integer, Long> last = new TreeMap<>();
        for (int i = 0; i < size; i++) {
            Mailboxes.Fresh each = deliveries.get(i);
            mailboxes[i] = each.mailbox();
            seqs[i] = each.message().seq();
            jobs[i] = each.message().job();
            last.put(each.mailbox(), each.message().seq());
        }
        tuple.addArrayOfInteger(mailboxes)
                .addArrayOfLong(seqs)
                .addArrayOfUUID(jobs)
                .addLong(nowMillis)
                .addArrayOfInteger(last.keySet().toArray(Integer[]::new))
                .addArrayOfLong(last.values().toArray(Long[]::new));
    }
}
