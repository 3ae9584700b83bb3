package dev.muster.scheduler;

import dev.muster.core.PoolCore;
import dev.muster.platform.codec.Malformed;
import dev.muster.platform.sql.StatementFailed;

import io.vertx.core.Future;
import io.vertx.core.Promise;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The same core as the leader's, folded from the journal on a thread of its own, whether this
 * process leads or not. It answers questions and, where this process leads, writes the snapshots.
 *
 * <p>It is the warm standby too: who takes the lease is given this core and owns it from then on,
 * and the follower loads another one.
 */
final class Follower {

    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);
    private static final long WAIT_MILLIS = 500;
    private static final long RETRY_MILLIS = 500;

    /**
     * Who has been given the core decides first, for so long at most: another one is loaded after
     * that.
     */
    private static final long HEIR_FIRST_MILLIS = 5000;

    /** A snapshot takes at most this part of the follower's time. */
    private static final int SNAPSHOT_TIME_SHARE = 20;

    private final PoolContext context;
    private final StateLoader loader;
    private final SnapshotStore snapshots;
    private final BooleanSupplier leading;
    private final RowFeed feed;
    private final Mailbox mailbox;
    private final Thread thread;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean stopping;
    private volatile boolean ended;
    private volatile String problem = "the follower has not read the journal yet";

    /** Who waits for a loaded core. */
    private final ConcurrentLinkedQueue<Promise<Void>> warmUps = new ConcurrentLinkedQueue<>();

    private final AtomicReference<@Nullable Promise<PoolFold>> heir = new AtomicReference<>();

    private long snapshotSeq;
    private long snapshotNanos;
    private long snapshotTookNanos;

    Follower(
            PoolContext context,
            StateLoader loader,
            SnapshotStore snapshots,
            BooleanSupplier leading) {
        this.context = context;
        this.loader = loader;
        this.snapshots = snapshots;
        this.leading = leading;
        this.feed =
                new RowFeed(
                        context.journal()::committedAfter,
                        context.setting(SchedulerSettings.FEED_BYTES),
                        0);
        this.mailbox = new Mailbox(feed::wake);
        this.thread = context.thread("follower", this::run);
    }

    void start() {
        thread.start();
    }

    /** A row that the decision loop has committed. */
    void offer(CommittedRow row) {
        feed.offer(row);
    }

    <T> Future<T> ask(Function<PoolCore, T> question) {
        return mailbox.ask(question);
    }

    /** Completes once there is a core to hand over; fails as the attempt to load one does. */
    Future<Void> warm() {
        Promise<Void> warm = Promise.promise();
        warmUps.add(warm);
        feed.wake();
        refuseIfEnded();
        return warm.future();
    }

    /**
     * Gives the core away, folded as far as the journal was read. No thread of the follower's
     * touches it any more. One at a time; fails as the attempt to load one does.
     */
    Future<PoolFold> handOver() {
        Promise<PoolFold> promise = Promise.promise();
        if (!heir.compareAndSet(null, promise)) {
            return Future.failedFuture(new IllegalStateException("the core has an heir already"));
        }
        feed.wake();
        refuseIfEnded();
        return promise.future();
    }

    /** One sentence, empty when all is well. */
    String problem() {
        return problem;
    }

    /** Folds what is there, writes a last snapshot if this process led, and ends. Blocks. */
    void stop() throws InterruptedException {
        stopping = true;
        feed.wake();
        if (!stopped.await(30, TimeUnit.SECONDS)) {
            LOG.warn("pool {}: the follower did not stop within 30 s", context.pool());
            thread.interrupt();
        }
    }

    private void run() {
        try {
            while (!stopping) {
                followUntilTrouble();
            }
        } catch (InterruptedException e) {
            LOG.debug("the follower was interrupted", e);
        } finally {
            ended = true;
            mailbox.refuseAll("The scheduler stops.");
            refuseIfEnded();
            stopped.countDown();
        }
    }

    private void followUntilTrouble() throws InterruptedException {
        try {
            long from = System.nanoTime();
            PoolFold state = loader.load();
            feed.seek(state.core().seq());
            LOG.info(
                    "pool {}: {} jobs as of seq {} were loaded in {} ms",
                    context.pool(),
                    state.core().jobs(),
                    state.core().seq(),
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from));
            snapshotSeq = loader.snapshotSeq();
            snapshotNanos = System.nanoTime();
            problem = "";
            while (!stopping) {
                if (givenAway(state)) {
                    return;
                }
                step(state, WAIT_MILLIS);
            }
            while (step(state, 0)) {
                // the rest of what the leader of this process has committed
            }
            if (leading.getAsBoolean() && state.core().seq() > snapshotSeq) {
                writeSnapshot(state);
            }
        } catch (StatementFailed e) {
            trouble("the follower waits for PostgreSQL: " + e.getMessage(), e);
        } catch (UnreadableJournal e) {
            trouble("the follower cannot go on: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            LOG.error("pool {}: the follower cannot go on", context.pool(), e);
            trouble("the follower cannot go on: " + e.getMessage(), e);
        } catch (Error e) {
            // without its core, memory may suffice again; nobody must wait for a thread that ended
            LOG.error("pool {}: the follower cannot go on", context.pool(), e);
            trouble("the follower cannot go on: " + e, new IllegalStateException(e.toString(), e));
        }
    }

    /** Whether the core has another owner now. */
    private boolean givenAway(PoolFold state) throws InterruptedException {
        Promise<Void> warm;
        while ((warm = warmUps.poll()) != null) {
            warm.complete();
        }
        Promise<PoolFold> next = heir.getAndSet(null);
        if (next == null) {
            return false;
        }
        mailbox.answerAll(state.core());
        feed.await(() -> next.complete(state), HEIR_FIRST_MILLIS);
        return true;
    }

    /** Whoever asks after the end is refused here, whoever asked before it by the thread itself. */
    private void refuseIfEnded() {
        if (ended) {
            refuse(new IllegalStateException("the follower has stopped"));
        }
    }

    private void refuse(RuntimeException cause) {
        // who asks again at once is told by the next attempt
        List<Promise<Void>> waiting = new ArrayList<>();
        Promise<Void> warm;
        while ((warm = warmUps.poll()) != null) {
            waiting.add(warm);
        }
        Promise<PoolFold> next = heir.getAndSet(null);
        waiting.forEach(each -> each.fail(cause));
        if (next != null) {
            next.fail(cause);
        }
    }

    private void trouble(String what, RuntimeException cause) throws InterruptedException {
        if (!what.equals(problem)) {
            LOG.warn("pool {}: {}", context.pool(), what);
        }
        problem = what;
        mailbox.refuseAll(what);
        refuse(cause);
        if (!stopping) {
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        }
    }

    private boolean step(PoolFold state, long waitMillis) throws InterruptedException {
        mailbox.answerAll(state.core());
        @Nullable CommittedRow row = feed.next(waitMillis);
        if (row != null) {
            state.fold(row);
            context.metrics().followerSeq.set(state.core().seq());
        }
        if (leading.getAsBoolean() && snapshotIsDue(state.core().seq())) {
            writeSnapshot(state);
        }
        return row != null;
    }

    private boolean snapshotIsDue(long seq) {
        if (seq == snapshotSeq) {
            return false;
        }
        long passed = System.nanoTime() - snapshotNanos;
        if (passed < snapshotTookNanos * SNAPSHOT_TIME_SHARE) {
            return false;
        }
        return seq - snapshotSeq >= context.setting(SchedulerSettings.SNAPSHOT_EVENTS)
                || passed
                        >= TimeUnit.SECONDS.toNanos(
                                context.setting(SchedulerSettings.SNAPSHOT_SECONDS));
    }

    private void writeSnapshot(PoolFold state) throws InterruptedException {
        Step.SNAPSHOT_BEFORE.reach();
        long from = System.nanoTime();
        try {
            long bytes =
                    SnapshotWriting.write(
                            snapshots,
                            state,
                            context.setting(SchedulerSettings.SNAPSHOT_KEEP),
                            () -> heir.get() != null);
            context.metrics().snapshotBytes.set(bytes);
            context.metrics().snapshots.increment();
        } catch (SnapshotWriting.Abandoned e) {
            LOG.debug("pool {}: {}", context.pool(), e.getMessage());
        } catch (Malformed e) {
            // the journal alone gives the same state: nothing is lost but time
            LOG.error("pool {}: no snapshot of seq {}", context.pool(), state.core().seq(), e);
            context.metrics().unreadableSnapshots.increment();
        }
        snapshotSeq = state.core().seq();
        snapshotNanos = System.nanoTime();
        snapshotTookNanos = snapshotNanos - from;
        context.metrics().snapshot.record(snapshotTookNanos, TimeUnit.NANOSECONDS);
        Step.SNAPSHOT_WRITTEN.reach();
    }
}
