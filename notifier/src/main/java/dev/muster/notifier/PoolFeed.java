package dev.muster.notifier;

import dev.muster.domain.PoolId;
import dev.muster.platform.config.Settings;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.run.Failpoints;

import io.vertx.core.Future;
import io.vertx.core.Vertx;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Makes a pool's events deliveries. Of several notifiers one does it at a time; what it has not
 * seen itself, because it came late or had to let go of some, it reads back from the journal. One
 * step at a time, on one context.
 */
final class PoolFeed {

    private static final Logger LOG = LoggerFactory.getLogger(PoolFeed.class);

    /** Least time between two steps: what comes meanwhile is folded at once. */
    private static final long GATHER_MILLIS = 10;

    private static final long CHECK_MILLIS = 2_000;

    /** What the feeds of all pools share. */
    record Parts(
            Vertx vertx,
            Settings settings,
            Subscriptions subscriptions,
            Mailboxes mailboxes,
            JournalReader journal,
            Meters meters,
            Clock clock) {}

    private final Parts parts;
    private final PoolId pool;
    private final FeedStore store;
    private final int maxBatch;
    private final int maxRows;
    private final int maxQueue;
    private final long renewNanos;
    private final Deque<EventRecord> queue = new ArrayDeque<>();
    private final Map<UUID, Integer> mailboxIds = new HashMap<>();
    private final long timer;

    /** −1 while another notifier folds, or nothing is known yet. */
    private long position = -1;

    /** Seq of the latest event that was offered. */
    private long seen;

    private long takenNanos;
    private long checkedNanos;
    private boolean busy;
    private boolean planned;
    private boolean closed;
    private boolean troubled;

    PoolFeed(Parts parts, PoolId pool, FeedStore store) {
        this.parts = parts;
        this.pool = pool;
        this.store = store;
        this.maxBatch = parts.settings.get(NotifierSettings.FOLD_BATCH);
        this.maxRows = parts.settings.get(NotifierSettings.FOLD_ROWS);
        this.maxQueue = parts.settings.get(NotifierSettings.FOLD_QUEUE);
        int leaseMillis = parts.settings.get(NotifierSettings.LEASE_MILLIS);
        this.renewNanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis / 3);
        this.timer = parts.vertx.setPeriodic(Math.min(1_000, leaseMillis / 3), _ -> step());
        plan();
    }

    void offer(EventRecord event) {
        seen = Math.max(seen, event.seq());
        if (position < 0) {
            return; // another notifier's work
        }
        if (queue.size() >= maxQueue) {
            queue.clear(); // read back when their turn comes
        }
        queue.add(event);
        plan();
    }

    /** Events that are known and no deliveries yet; 0 where another notifier folds. */
    long lag() {
        return position < 0 ? 0 : Math.max(0, seen - position);
    }

    /** Whether another notifier folds this pool, so that only the table tells of news. */
    boolean elsewhere() {
        return position < 0;
    }

    PoolId pool() {
        return pool;
    }

    private void plan() {
        if (!busy && !planned && !closed) {
            planned = true;
            parts.vertx.setTimer(
                    GATHER_MILLIS,
                    _ -> {
                        planned = false;
                        step();
                    });
        }
    }

    private void step() {
        if (busy || closed) {
            return;
        }
        busy = true;
        work().onComplete(done -> {
            busy = false;
            if (done.failed()) {
                lost(done.cause());
            } else {
                troubled = false;
                if (done.result()) {
                    plan();
                }
            }
        });
    }

    /** Whether there may be more to do at once. */
    private Future<Boolean> work() {
        if (position < 0 || System.nanoTime() - takenNanos > renewNanos) {
            return take();
        }
        while (!queue.isEmpty() && queue.getFirst().seq() <= position) {
            queue.removeFirst();
        }
        if (!queue.isEmpty() && queue.getFirst().seq() == position + 1) {
            return fold(nextOfQueue());
        }
        boolean check =
                System.nanoTime() - checkedNanos > TimeUnit.MILLISECONDS.toNanos(CHECK_MILLIS);
        if (queue.isEmpty() && seen <= position && !check) {
            return Future.succeededFuture(false);
        }
        return parts.journal.after(pool, position).compose(this::foldRead);
    }

    private Future<Boolean> take() {
        boolean first = position < 0;
        return store.take()
                .map(seq -> {
                    takenNanos = System.nanoTime();
                    if (seq < 0) {
                        position = -1;
                        queue.clear();
                        return false;
                    }
                    if (first) {
                        LOG.info("pool {}: events become deliveries from {} on", pool, seq);
                        checkedNanos = 0;
                    }
                    if (first || seq != position) {
                        // somebody else may have put in more than was told here
                        parts.mailboxes.newsOf(pool.value());
                    }
                    position = seq;
                    return true;
                });
    }

    private List<EventRecord> nextOfQueue() {
        List<EventRecord> batch = new ArrayList<>();
        long next = position + 1;
        while (batch.size() < maxBatch && !queue.isEmpty() && queue.getFirst().seq() == next) {
            batch.add(queue.removeFirst());
            next++;
        }
        return batch;
    }

    private Future<Boolean> foldRead(List<EventRecord> events) {
        checkedNanos = System.nanoTime();
        if (events.isEmpty()) {
            return Future.succeededFuture(false);
        }
        long first = events.getFirst().seq();
        if (first > position + 1) {
            LOG.error(
                    "pool {}: the journal begins at {}: what lies between it and {} is not"
                            + " delivered",
                    pool,
                    first,
                    position);
            parts.meters.missed(first - position - 1);
        }
        return fold(events);
    }

    private Future<Boolean> fold(List<EventRecord> events) {
        // subscriptions first: what was committed before an event was read has a claim to it
        return parts.subscriptions.refresh().compose(_ -> matched(events));
    }

    private Future<Boolean> matched(List<EventRecord> events) {
        List<Match> matches = new ArrayList<>();
        Set<UUID> unknown = new LinkedHashSet<>();
        long to = position;
        int rows = 0;
        for (EventRecord each : events) {
            if (rows >= maxRows) {
                break; // the rest comes again, from the journal
            }
            to = each.seq();
            List<Subscription> takers =
                    each.job().isEmpty() ? List.of() : parts.subscriptions.of(each);
            if (!takers.isEmpty()) {
                matches.add(new Match(Message.of(each), takers));
                rows += takers.size();
                for (Subscription taker : takers) {
                    if (!mailboxIds.containsKey(taker.id())) {
                        unknown.add(taker.id());
                    }
                }
            }
        }
        long last = to;
        if (unknown.isEmpty()) {
            return commit(last, matches);
        }
        return store.mailboxes(unknown, position)
                .compose(found -> {
                    mailboxIds.keySet().removeIf(id -> parts.subscriptions.get(id) == null);
                    mailboxIds.putAll(found);
                    return commit(last, matches);
                });
    }

    private record Match(Message message, List<Subscription> takers) {}

    private Future<Boolean> commit(long to, List<Match> matches) {
        List<Message> messages = new ArrayList<>(matches.size());
        List<Mailboxes.Fresh> deliveries = new ArrayList<>();
        for (Match each : matches) {
            messages.add(each.message);
            for (Subscription taker : each.takers) {
                Integer mailbox = mailboxIds.get(taker.id());
                if (mailbox != null) {
                    deliveries.add(new Mailboxes.Fresh(mailbox, each.message));
                }
            }
        }
        Failpoints.reach(NotifierSettings.BEFORE_FOLD);
        FeedStore.Fold fold = new FeedStore.Fold(position, to, messages, deliveries);
        return store.fold(fold, parts.clock.millis())
                .map(moved -> {
                    if (!moved) {
                        throw new IllegalStateException("another notifier moved the position");
                    }
                    if (!deliveries.isEmpty()) {
                        Failpoints.reach(NotifierSettings.FOLDED);
                    }
                    position = to;
                    takenNanos = System.nanoTime();
                    parts.mailboxes.folded(deliveries);
                    return true;
                });
    }

    /** Whatever was believed is dropped and read anew, at the next tick. */
    private void lost(Throwable cause) {
        position = -1;
        queue.clear();
        if (!troubled && !closed) {
            troubled = true;
            LOG.warn("pool {}: events become no deliveries: {}", pool, cause.getMessage());
        }
    }

    void close() {
        closed = true;
        parts.vertx.cancelTimer(timer);
    }
}
