package dev.muster.gateway;

import dev.muster.domain.PoolId;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.Failpoints;

import io.vertx.core.Future;
import io.vertx.core.Vertx;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Folds a pool's events into the views. Of several gateways one does it at a time; what it has not
 * seen itself, because it came late or had to let go of some, it reads back from the journal. One
 * step at a time, on one context.
 */
final class PoolView {

    private static final Logger LOG = LoggerFactory.getLogger(PoolView.class);

    /** Least time between two steps: what comes meanwhile is folded at once. */
    private static final long GATHER_MILLIS = 20;

    private static final long CHECK_MILLIS = 5_000;

    private final Vertx vertx;
    private final PoolId pool;
    private final ViewStore store;
    private final JournalReader journal;
    private final int maxBatch;
    private final int maxQueue;
    private final long renewNanos;
    private final Deque<StreamEvent> queue = new ArrayDeque<>();
    private final long timer;

    /** −1 while another gateway writes, or nothing is known yet. */
    private long position = -1;

    /** Seq of the latest event that was offered. */
    private long seen;

    private long takenNanos;
    private long checkedNanos;
    private boolean busy;
    private boolean planned;
    private boolean closed;
    private boolean troubled;

    PoolView(Vertx vertx, PoolId pool, ViewStore store, JournalReader journal, Settings settings) {
        this.vertx = vertx;
        this.pool = pool;
        this.store = store;
        this.journal = journal;
        this.maxBatch = settings.get(GatewaySettings.VIEW_BATCH);
        this.maxQueue = settings.get(GatewaySettings.VIEW_QUEUE);
        int leaseMillis = settings.get(GatewaySettings.VIEW_LEASE_MILLIS);
        this.renewNanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis / 3);
        this.timer = vertx.setPeriodic(leaseMillis / 3, _ -> step());
        plan();
    }

    void offer(StreamEvent event) {
        seen = Math.max(seen, event.seq());
        if (position < 0) {
            return; // another gateway's work
        }
        if (queue.size() >= maxQueue) {
            queue.clear(); // read back when their turn comes
        }
        queue.add(event);
        plan();
    }

    /** Events that are known and not folded yet; 0 where another gateway folds. */
    long lag() {
        return position < 0 ? 0 : Math.max(0, seen - position);
    }

    private void plan() {
        if (!busy && !planned && !closed) {
            planned = true;
            vertx.setTimer(
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
            return fold(nextBatch());
        }
        boolean check =
                System.nanoTime() - checkedNanos > TimeUnit.MILLISECONDS.toNanos(CHECK_MILLIS);
        if (queue.isEmpty() && seen <= position && !check) {
            return Future.succeededFuture(false);
        }
        return journal.after(pool, position).compose(this::foldRead);
    }

    private Future<Boolean> foldRead(List<StreamEvent> events) {
        checkedNanos = System.nanoTime();
        if (events.isEmpty()) {
            return Future.succeededFuture(false);
        }
        long first = events.getFirst().seq();
        if (first == position + 1) {
            return fold(events);
        }
        LOG.warn("pool {}: the journal begins at {}, the views end at {}", pool, first, position);
        return journal.snapshot(pool, first - 2)
                .compose(found ->
                        found.isPresent()
                                ? apply(found.get().seq(), ViewChanges.of(found.get()))
                                : fold(events));
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
                        LOG.info("pool {}: views are written from {} on", pool, seq);
                        checkedNanos = 0;
                    } else if (seq != position) {
                        LOG.warn("pool {}: views stand at {}, not {}", pool, seq, position);
                    }
                    position = seq;
                    return true;
                });
    }

    private List<StreamEvent> nextBatch() {
        List<StreamEvent> batch = new ArrayList<>();
        long next = position + 1;
        while (batch.size() < maxBatch && !queue.isEmpty() && queue.getFirst().seq() == next) {
            batch.add(queue.removeFirst());
            next++;
        }
        return batch;
    }

    private Future<Boolean> fold(List<StreamEvent> events) {
        return apply(events.getLast().seq(), ViewChanges.of(events));
    }

    private Future<Boolean> apply(long to, ViewChanges changes) {
        Failpoints.reach("gateway.view.before-commit");
        return store.apply(position, to, changes)
                .map(moved -> {
                    Failpoints.reach("gateway.view.committed");
                    if (!moved) {
                        throw new IllegalStateException("another gateway moved the views");
                    }
                    position = to;
                    takenNanos = System.nanoTime();
                    return true;
                });
    }

    /** Whatever was believed is dropped and read anew, at the next tick. */
    private void lost(Throwable cause) {
        position = -1;
        queue.clear();
        if (!troubled && !closed) {
            troubled = true;
            LOG.warn("pool {}: views are not written: {}", pool, cause.getMessage());
        }
    }

    Future<Void> close() {
        closed = true;
        vertx.cancelTimer(timer);
        return store.close();
    }
}
