package dev.muster.scheduler;

import dev.muster.core.PoolCore;
import dev.muster.domain.InvariantBroken;
import dev.muster.domain.PoolId;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.sql.StatementFailed;
import dev.muster.platform.sql.Writer;

import io.vertx.core.Future;
import io.vertx.core.Promise;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A pool's decision thread: stands by until it can take the epoch, then leads until the term ends,
 * on the core that the follower has folded. Whatever ends a term but a clean stop — another leader,
 * a lost connection, an append of unknown outcome — drops the state; the next term begins from what
 * is committed, and raising the epoch again makes sure that a statement still on its way can write
 * nothing.
 */
final class PoolLoop {

    private static final Logger LOG = LoggerFactory.getLogger(PoolLoop.class);
    private static final long STANDBY_MILLIS = 100;

    /** Standbys ask for the lease many times in it. */
    private static final long MODEST_MILLIS = 2000;

    private static final long FIRST_BACKOFF_MILLIS = 50;
    private static final long MAX_BACKOFF_MILLIS = 2000;

    private final PoolContext context;
    private final StateLoader loader;
    private final Follower follower;
    private final Writer writer;
    private final Leadership leadership;
    private final Mailbox mailbox = new Mailbox(this::wake);
    private final Promise<Void> ready = Promise.promise();
    private final Thread thread;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Semaphore wakeups = new Semaphore(0);
    private volatile boolean stopping;
    private volatile boolean givingUp;
    private volatile boolean leading;

    /** Of the term that ended last by being given up, −1 if another one ended since. */
    private long givenUpEpoch = -1;

    /** How often in a row this process gave the pool up and nobody else took it. */
    private volatile int unwanted;

    /** Until then this process leaves a free lease to others. */
    private long modestUntilNanos = System.nanoTime();

    private volatile @Nullable Term term;
    private volatile @Nullable EventPublisher publisher;
    private volatile String problem = "the journal is being read";

    PoolLoop(PoolContext context) {
        this.context = context;
        SnapshotStore snapshots = new SnapshotStore(context.service().database(), context.pool());
        this.loader =
                new StateLoader(
                        context.pool(),
                        context.journal(),
                        snapshots,
                        context.metrics().unreadableSnapshots::increment);
        this.follower = new Follower(context, loader, snapshots, () -> leading);
        this.writer = context.service().database().writer("journal of " + context.pool());
        this.leadership =
                new Leadership(
                        writer,
                        context.pool(),
                        context.service().serviceId(),
                        context.setting(SchedulerSettings.LEASE_MILLIS));
        this.thread = context.thread("loop", this::run);
    }

    /**
     * Completes when the pool is led or the standby is warm; fails with one sentence when the
     * journal cannot be folded by this version.
     */
    Future<Void> start() {
        context.restore().start();
        thread.start();
        return ready.future();
    }

    PoolId pool() {
        return context.pool();
    }

    boolean leads() {
        return leading;
    }

    /** How often in a row the pool was given up here and nobody else took it. */
    int unwanted() {
        return unwanted;
    }

    /** What the follower answers. */
    <T> Future<T> askFollower(Function<PoolCore, T> question) {
        return follower.ask(question);
    }

    /** What the leader answers between its batches; fails where another process leads. */
    <T> Future<T> askLeader(Function<PoolCore, T> question) {
        return mailbox.ask(question);
    }

    /** One sentence, empty when all is well. */
    String problem() {
        EventPublisher events = publisher;
        if (!problem.isEmpty()) {
            return problem;
        }
        return events == null || events.problem().isEmpty() ? follower.problem() : events.problem();
    }

    /** Ends the term, if there is one, in order; for a moment the lease is left to others. */
    void giveUp() {
        givingUp = true;
        wake();
    }

    /** Commits what is decided, gives the lease back, writes a snapshot. Blocks. */
    void stop() throws InterruptedException {
        stopping = true;
        wake();
        if (!stopped.await(30, TimeUnit.SECONDS)) {
            LOG.warn("pool {}: the decision loop did not stop within 30 s", context.pool());
            thread.interrupt();
        }
    }

    private void wake() {
        Term current = term;
        if (current != null) {
            current.wake();
        }
        wakeups.release();
    }

    private void run() {
        try {
            follower.start();
            long backoff = FIRST_BACKOFF_MILLIS;
            while (!stopping) {
                long before = context.metrics().journalSeq.get();
                runUntilTrouble();
                boolean progress = context.metrics().journalSeq.get() > before;
                backoff =
                        progress ? FIRST_BACKOFF_MILLIS : Math.min(MAX_BACKOFF_MILLIS, backoff * 2);
                rest(backoff);
            }
            context.restore().stop();
            follower.stop();
            Awaited.get(writer.close());
        } catch (InterruptedException e) {
            LOG.debug("the decision loop was interrupted", e);
        } finally {
            mailbox.refuseAll("The scheduler stops.");
            ready.tryFail("the scheduler was stopped");
            stopped.countDown();
        }
    }

    private void runUntilTrouble() throws InterruptedException {
        try {
            Awaited.get(leadership.declare());
            Future<Void> warm = follower.warm();
            // connected while the follower loads: a standby has everything but the lease
            try (Inbox inbox = new Inbox(context)) {
                Awaited.get(warm);
                problem = "";
                ready.tryComplete();
                PoolHead head = standBy();
                if (head != null) {
                    lead(head, inbox);
                }
            }
        } catch (Fenced e) {
            tellFenced(e);
            mailbox.refuseAll("Another process leads the pool.");
        } catch (StatementFailed e) {
            trouble("PostgreSQL failed the journal: " + e.getMessage(), e);
        } catch (UnreadableJournal e) {
            ready.tryFail(new IllegalStateException(refusal(e), e));
            trouble(refusal(e), e);
        } catch (InvariantBroken e) {
            standStill(e);
        } catch (RuntimeException e) {
            failed(e.getMessage(), e);
        } catch (Error e) {
            // a loop that ended would leave the pool to nobody while this process seems well
            failed(e.toString(), e);
        }
    }

    private void tellFenced(Fenced e) throws InterruptedException {
        LOG.warn("pool {}: {}; this process stands by", context.pool(), e.getMessage());
        context.metrics().reloads.increment();
        String id = context.service().serviceId();
        try {
            if (Awaited.get(leadership.settledHead()).holder().equals(id)) {
                LOG.error(
                        "pool {}: another process runs with this one's service.id {}: each needs"
                                + " its own",
                        context.pool(),
                        id);
            }
        } catch (StatementFailed failed) {
            LOG.debug("who leads is not known", failed);
        }
    }

    /** A fault of our own: deciding on would do harm, and so would hiding it by trying again. */
    private void standStill(InvariantBroken broken) throws InterruptedException {
        LOG.error("pool {}: an invariant is broken, the pool stands still", context.pool(), broken);
        trouble(
                "pool "
                        + context.pool()
                        + " stands still, an invariant is broken: "
                        + broken.getMessage(),
                broken);
        while (!stopping) {
            mailbox.refuseAll(problem);
            rest(STANDBY_MILLIS);
        }
    }

    private String refusal(UnreadableJournal e) {
        return "pool " + context.pool() + " cannot be led: " + e.getMessage();
    }

    private void failed(@Nullable String why, Throwable cause) {
        LOG.error("pool {}: the decision loop failed", context.pool(), cause);
        trouble("the decision loop of pool " + context.pool() + " failed: " + why, cause);
    }

    private void trouble(String what, Throwable cause) {
        context.metrics().reloads.increment();
        if (!what.equals(problem)) {
            LOG.warn("pool {}: {}; its state is dropped", context.pool(), what);
            LOG.debug("cause", cause);
        }
        problem = what;
        context.restore().again();
        mailbox.refuseAll(what);
    }

    /** Null when told to stop. */
    private @Nullable PoolHead standBy() throws InterruptedException {
        while (!stopping) {
            boolean _ = context.restore().permits(); // what is not known yet is asked again later
            if (System.nanoTime() - modestUntilNanos >= 0) {
                Optional<PoolHead> head = Awaited.get(leadership.take(context.nowMillis()));
                if (head.isPresent()) {
                    return head.get();
                }
            }
            mailbox.refuseAll("Another process leads the pool.");
            rest(STANDBY_MILLIS);
        }
        return null;
    }

    private void rest(long millis) throws InterruptedException {
        wakeups.drainPermits();
        if (!stopping) {
            boolean _ = wakeups.tryAcquire(millis, TimeUnit.MILLISECONDS);
        }
    }

    private void lead(PoolHead head, Inbox inbox) throws InterruptedException {
        Step.EPOCH_TAKEN.reach();
        PoolFold state = Awaited.get(follower.handOver());
        loader.catchUp(state);
        PoolCore core = state.core();
        head.requireRowsUpTo(core.seq());
        LOG.info(
                "pool {}: {} leads with epoch {} from seq {}",
                context.pool(),
                context.setting(PlatformSettings.SERVICE_ID),
                head.epoch(),
                head.seq());
        EventPublisher events = new EventPublisher(context, head.seq());
        unwanted = head.epoch() == givenUpEpoch + 1 ? unwanted + 1 : 0;
        givingUp = false;
        boolean clean = false;
        try {
            Term begun =
                    new Term(
                            context,
                            leadership,
                            writer,
                            new Term.StandbyState(core, head, inbox),
                            row -> {
                                events.offer(row);
                                follower.offer(row);
                            });
            term = begun;
            leading = true;
            publisher = events;
            context.metrics().leading.set(1);
            context.metrics().epoch.set(head.epoch());
            begun.run(mailbox, () -> stopping || givingUp);
            clean = true;
        } finally {
            modestUntilNanos =
                    System.nanoTime() + (clean ? TimeUnit.MILLISECONDS.toNanos(MODEST_MILLIS) : 0);
            givenUpEpoch = clean ? head.epoch() : -1;
            // after a clean stop the follower still writes the last snapshot
            leading = clean && stopping;
            term = null;
            publisher = null;
            context.metrics().leading.set(0);
            events.stop(clean);
        }
    }
}
