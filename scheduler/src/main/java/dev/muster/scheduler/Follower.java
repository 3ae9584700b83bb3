package dev.muster.scheduler;

import dev.muster.core.PoolCore;
import dev.muster.platform.codec.SnapshotCodec;
import dev.muster.platform.sql.StatementFailed;

import io.vertx.core.Future;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The same core as the leader's, folded from the journal on a thread of its own, whether this
 * process leads or not. It answers questions and, where this process leads, writes the snapshots.
 */
final class Follower {

    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);
    private static final long WAIT_MILLIS = 500;
    private static final long RETRY_MILLIS = 500;

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
    private volatile String problem = "the follower has not read the journal yet";

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
            mailbox.refuseAll("The scheduler stops.");
            stopped.countDown();
        }
    }

    private void followUntilTrouble() throws InterruptedException {
        try {
            PoolFold state = loader.load();
            feed.seek(state.core().seq());
            snapshotSeq = state.core().seq();
            snapshotNanos = System.nanoTime();
            problem = "";
            while (!stopping) {
                step(state, WAIT_MILLIS);
            }
            while (step(state, 0)) {
                // the rest of what the leader of this process has committed
            }
            if (leading.getAsBoolean() && state.core().seq() > snapshotSeq) {
                writeSnapshot(state);
            }
        } catch (StatementFailed e) {
            trouble("the follower waits for PostgreSQL: " + e.getMessage());
        } catch (UnreadableJournal e) {
            trouble("the follower cannot go on: " + e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("pool {}: the follower cannot go on", context.pool(), e);
            trouble("the follower cannot go on: " + e.getMessage());
        }
    }

    private void trouble(String what) throws InterruptedException {
        if (!what.equals(problem)) {
            LOG.warn("pool {}: {}", context.pool(), what);
        }
        problem = what;
        mailbox.refuseAll(what);
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
        PoolCore core = state.core();
        StoredSnapshot snapshot =
                new StoredSnapshot(
                        core.seq(),
                        core.stateHash(),
                        state.positions(),
                        SnapshotCodec.encode(core.snapshot()),
                        Journal.CODE_VERSION);
        Awaited.get(snapshots.write(snapshot, context.setting(SchedulerSettings.SNAPSHOT_KEEP)));
        snapshotSeq = core.seq();
        snapshotNanos = System.nanoTime();
        snapshotTookNanos = snapshotNanos - from;
        context.metrics().snapshots.increment();
        Step.SNAPSHOT_WRITTEN.reach();
    }
}
