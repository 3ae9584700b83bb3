package dev.muster.gateway;

import dev.muster.domain.Failure;
import dev.muster.domain.LaneId;
import dev.muster.platform.config.Settings;
import dev.muster.platform.http.FailureException;
import dev.muster.platform.kafka.LaneEntry;
import dev.muster.platform.kafka.LaneSender;
import dev.muster.platform.run.Failpoints;
import dev.muster.platform.sql.StatementFailed;
import dev.muster.platform.sql.StatementFailed.Outcome;

import io.vertx.core.Context;
import io.vertx.core.Future;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The only writer of a lane. It gathers what comes while a batch is on its way, and at most one
 * batch is on its way: so the places that it believes in are those of the table, and after an
 * unknown outcome there is one batch to decide about. Everything happens on one context.
 */
final class LaneWriter {

    private static final Logger LOG = LoggerFactory.getLogger(LaneWriter.class);
    private static final long FIRST_BACKOFF_MILLIS = 20;
    private static final long MAX_BACKOFF_MILLIS = 1_000;
    private static final int RETRY_SECONDS = 2;

    /**
     * What a writer works with.
     *
     * @param storage says where the database lies when it cannot write
     */
    record Means(
            Context context,
            Settings settings,
            LaneStore store,
            LaneSender sender,
            StorageTrouble storage,
            AcceptMeters meters) {}

    private final LaneId lane;
    private final Means means;
    private final long gatherNanos;
    private final LaneQueue queue;

    private LaneStore.Head head;
    private List<LaneItem> onItsWay = List.of();
    private boolean busy;
    private boolean flushPlanned;
    private long lastFlushNanos = System.nanoTime();
    private long backoffMillis;

    private @Nullable Failure closed;

    LaneWriter(LaneId lane, LaneStore.Head head, Means means) {
        this.lane = lane;
        this.head = head;
        this.means = means;
        this.queue = new LaneQueue(means.settings());
        this.gatherNanos =
                TimeUnit.MILLISECONDS.toNanos(means.settings().get(GatewaySettings.GATHER_MILLIS));
    }

    /** Null while the lane takes items. */
    @Nullable Failure trouble() {
        if (closed != null) {
            return closed;
        }
        return queue.full()
                ? new Failure.Overloaded(queue.size() + " submissions wait already.", 1)
                : null;
    }

    /** Answers through the item's promise, also when there is no room. */
    void take(LaneItem item) {
        Failure trouble = trouble();
        if (trouble != null) {
            item.promise().fail(new FailureException(trouble));
            return;
        }
        queue.add(item);
        plan();
    }

    int waiting() {
        return queue.size();
    }

    private void plan() {
        if (busy || flushPlanned || queue.isEmpty() || closed != null) {
            return;
        }
        flushPlanned = true;
        long waitNanos =
                Math.max(gatherNanos, TimeUnit.MILLISECONDS.toNanos(backoffMillis))
                        - (System.nanoTime() - lastFlushNanos);
        if (waitNanos <= 0) {
            // behind the requests that the loop has in hand already
            means.context().runOnContext(_ -> flush());
        } else {
            long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(waitNanos));
            means.context().owner().setTimer(millis, _ -> flush());
        }
    }

    private void flush() {
        flushPlanned = false;
        if (busy || closed != null) {
            return;
        }
        List<LaneItem> batch = queue.nextBatch();
        if (batch.isEmpty()) {
            return;
        }
        busy = true;
        onItsWay = batch;
        lastFlushNanos = System.nanoTime();
        write(batch)
                .onComplete(done -> {
                    if (done.succeeded()) {
                        committed(batch, done.result());
                    } else {
                        failed(batch, done.cause());
                    }
                });
    }

    private Future<Map<String, Long>> write(List<LaneItem> batch) {
        means.meters().batch(batch.size());
        if (batch.getFirst() instanceof LaneItem.Submission) {
            Failpoints.reach("gateway.batch.before-commit");
            List<LaneItem.Submission> submissions = new ArrayList<>(batch.size());
            batch.forEach(item -> submissions.add((LaneItem.Submission) item));
            return means.store().accept(head, submissions);
        }
        Failpoints.reach("gateway.intent.before-commit");
        List<LaneItem.Intent> intents = new ArrayList<>(batch.size());
        batch.forEach(item -> intents.add((LaneItem.Intent) item));
        return means.store().intend(head, intents);
    }

    private void committed(List<LaneItem> batch, Map<String, Long> places) {
        means.meters().committed(System.nanoTime() - lastFlushNanos, places.size());
        boolean submissions = batch.getFirst() instanceof LaneItem.Submission;
        Failpoints.reach(submissions ? "gateway.batch.committed" : "gateway.intent.committed");
        head = new LaneStore.Head(head.id(), head.epoch(), head.n() + places.size());
        backoffMillis = 0;
        List<LaneEntry> entries = new ArrayList<>(places.size());
        for (LaneItem item : batch) {
            Long n = places.get(item.id());
            if (n == null) {
                answerRepeated((LaneItem.Submission) item);
            } else {
                item.promise().tryComplete(new LaneItem.Place(item.id(), n, false));
                entries.add(entry(n, item));
            }
        }
        Failpoints.reach("gateway.batch.answered");
        means.sender().publish(entries);
        Failpoints.reach("gateway.published");
        goOn();
    }

    private static LaneEntry entry(long n, LaneItem item) {
        return switch (item) {
            case LaneItem.Submission submission ->
                    LaneStore.submission(n, submission.command(), submission.canonical());
            case LaneItem.Intent intent -> new LaneEntry(n, intent.command(), intent.body());
        };
    }

    private void answerRepeated(LaneItem.Submission item) {
        String key = String.valueOf(item.key());
        means.store()
                .keys(item.spec().project().value(), List.of(key))
                .onComplete(found -> {
                    if (found.failed()) {
                        item.promise().tryFail(found.cause());
                    } else {
                        answerRepeated(item, found.result().get(key));
                    }
                });
    }

    private static void answerRepeated(LaneItem.Submission item, LaneStore.@Nullable KeyUse use) {
        if (use == null) {
            item.promise().tryFail(unavailable("The Idempotency-Key has just expired."));
        } else if (use.specHash().equals(item.command().specHash())) {
            item.promise().tryComplete(new LaneItem.Place(use.job(), 0, true));
        } else {
            item.promise()
                    .tryFail(
                            new FailureException(
                                    new Failure.Conflict(
                                            "The Idempotency-Key was used for another"
                                                    + " specification: job "
                                                    + use.job())));
        }
    }

    private void failed(List<LaneItem> batch, Throwable cause) {
        means.meters().failed();
        if (cause instanceof LaneStore.Fenced) {
            // by another process, or by a statement of our own that came late: the owner tells
            resolve(batch);
        } else if (!(cause instanceof StatementFailed statement)) {
            LOG.error("lane {}: a batch of {} failed", lane, batch.size(), cause);
            answer(batch, cause);
            goOn();
        } else if (statement.outcome() == Outcome.UNKNOWN) {
            LOG.warn("lane {}: outcome unknown: {}", lane, statement.getMessage());
            resolve(batch);
        } else if (statement.storageExhausted()) {
            LOG.warn("lane {}: {}", lane, statement.getMessage());
            explain(batch, statement);
            slowDown();
            goOn();
        } else if (statement.transientTrouble()) {
            LOG.warn("lane {}: nothing was written: {}", lane, statement.getMessage());
            again(batch);
        } else {
            refused(batch, statement);
        }
    }

    /** A statement that PostgreSQL refuses for what it holds: the others must not suffer. */
    private void refused(List<LaneItem> batch, StatementFailed statement) {
        if (batch.size() == 1) {
            LOG.error("lane {}: {} is refused", lane, batch.getFirst().id(), statement);
            answer(batch, statement);
            goOn();
        } else {
            queue.singly(batch.size());
            again(batch);
        }
    }

    private void again(List<LaneItem> batch) {
        queue.giveBack(batch);
        slowDown();
        goOn();
    }

    private void slowDown() {
        backoffMillis =
                Math.min(MAX_BACKOFF_MILLIS, Math.max(FIRST_BACKOFF_MILLIS, backoffMillis * 2));
    }

    private void goOn() {
        onItsWay = List.of();
        busy = false;
        plan();
    }

    /** Until it is known what became of the batch, nothing else is written or published. */
    private void resolve(List<LaneItem> batch) {
        long before = head.n();
        means.store()
                .resolve()
                .compose(now -> {
                    head = new LaneStore.Head(now.id(), now.epoch(), before);
                    return means.store().given(head, now.n(), batch);
                })
                .onComplete(known -> {
                    if (known.failed()) {
                        stillUnknown(batch, known.cause());
                    } else {
                        resolved(batch, known.result());
                    }
                });
    }

    private void resolved(List<LaneItem> batch, Map<String, Long> places) {
        Failpoints.reach("gateway.batch.resolved");
        if (places.isEmpty()) {
            LOG.info("lane {}: the batch of {} was not written", lane, batch.size());
            again(batch);
        } else {
            LOG.info("lane {}: the batch of {} was written", lane, batch.size());
            committed(batch, places);
        }
    }

    private void stillUnknown(List<LaneItem> batch, Throwable cause) {
        if (cause instanceof LaneStore.Fenced fenced) {
            fence(fenced);
            return;
        }
        if (closed != null) {
            return;
        }
        slowDown();
        LOG.debug("lane {}: still unknown: {}", lane, cause.getMessage());
        means.context().owner().setTimer(backoffMillis, _ -> resolve(batch));
    }

    /** Called now and then: those who have waited too long are told. */
    void expire(long nowNanos) {
        List<LaneItem> late = queue.expired(nowNanos);
        for (LaneItem item : onItsWay) {
            if (nowNanos - item.deadlineNanos() > 0) {
                late.add(item);
            }
        }
        if (!late.isEmpty()) {
            explain(late, null);
        }
    }

    private void fence(LaneStore.Fenced why) {
        LOG.error("{}; this gateway accepts nothing more on it", why.getMessage());
        close(new Failure.Unavailable("Another process took this gateway's place.", RETRY_SECONDS));
    }

    /** Takes nothing more; what waits is answered with the failure. */
    void close(Failure why) {
        closed = why;
        List<LaneItem> left = new ArrayList<>(onItsWay);
        left.addAll(queue.takeAll());
        answer(left, new FailureException(why));
    }

    private void explain(List<LaneItem> items, @Nullable StatementFailed cause) {
        means.storage()
                .explain(cause)
                .onComplete(told -> answer(items, told.succeeded() ? told.result() : told.cause()));
    }

    private static void answer(List<LaneItem> items, Throwable cause) {
        items.forEach(item -> item.promise().tryFail(cause));
    }

    private static FailureException unavailable(String message) {
        return new FailureException(new Failure.Unavailable(message, RETRY_SECONDS));
    }
}
