package dev.muster.scheduler;

import dev.muster.core.PoolCore;
import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.JobState;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.sql.Writer;

import io.vertx.core.Future;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One epoch of one leader: takes inputs, decides, appends, and only then lets the events out. While
 * an append is under way the next batch is decided already; if the append fails, the whole state is
 * dropped with the term, so nothing that was decided on top of it can get out.
 *
 * <p>For the loop's thread alone, but for {@link #wake()} and what follows a commit.
 */
final class Term {

    private static final long GAUGES_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final PoolContext context;
    private final Leadership leadership;
    private final Writer writer;
    private final PoolCore core;
    private final PoolHead head;
    private final Positions positions;
    private final Inbox inbox;
    private final VerdictPatience patience;
    private final RestartMeters restarts;
    private final Consumer<CommittedRow> committed;
    private final long renewNanos;
    private final long lingerNanos;

    private @Nullable Future<Boolean> inFlight;
    private volatile long lastBeatNanos = System.nanoTime();
    private long lastAliveNanos = System.nanoTime();
    private long lastAliveMillis;
    private long lastDecisionNanos;
    private long lastGaugesNanos;

    /**
     * @param standby with which it begins
     * @param committed takes each row once it is committed, on some thread, in order
     */
    Term(
            PoolContext context,
            Leadership leadership,
            Writer writer,
            StandbyState standby,
            Consumer<CommittedRow> committed) {
        this.context = context;
        this.leadership = leadership;
        this.writer = writer;
        this.core = standby.core();
        this.head = standby.head();
        this.positions = new Positions(head.positions(), core.shardEpoch());
        this.committed = committed;
        // three renewals fit into a lease
        this.renewNanos =
                TimeUnit.MILLISECONDS.toNanos(context.setting(SchedulerSettings.LEASE_MILLIS))
                        * 3
                        / 10;
        this.lingerNanos =
                TimeUnit.MILLISECONDS.toNanos(context.setting(SchedulerSettings.LINGER_MILLIS));
        this.lastAliveMillis = context.nowMillis();
        this.inbox = standby.inbox();
        inbox.seek(head.offsets());
        this.patience = new VerdictPatience(inbox);
        this.restarts = new RestartMeters(context.service().meters(), context.pool());
        core.forEachJobInIncident(restarts::begin);
    }

    /**
     * The state with which a term begins.
     *
     * @param core folded up to the head
     * @param inbox that nobody has polled
     */
    record StandbyState(PoolCore core, PoolHead head, Inbox inbox) {}

    /** Makes the loop look up from waiting for records. From any thread. */
    void wake() {
        inbox.wake();
    }

    /**
     * Leads until told to stop; then everything decided is committed and the lease given back.
     *
     * @throws Fenced when another process leads
     */
    void run(Mailbox mailbox, BooleanSupplier stopping) throws InterruptedException {
        begin();
        while (!stopping.getAsBoolean()) {
            if (!mailbox.isEmpty()) {
                // only committed state is shown
                settle();
                mailbox.answerAll(core);
            }
            step();
        }
        settle();
        Awaited.get(leadership.release());
    }

    /** The first row of the epoch says who leads, and for how long nobody did. */
    private void begin() throws InterruptedException {
        List<Input> batch = new ArrayList<>();
        batch.add(new Input.LeaderElected(head.epoch(), head.holder(), JournalRow.CODE_VERSION));
        long now = now();
        long from = Math.max(head.atMillis(), head.outageFromMillis());
        if (head.seq() > 0 && now - from > context.setting(SchedulerSettings.OUTAGE_MILLIS)) {
            batch.add(new Input.OutageEnded(from, now));
        }
        decide(batch, now);
        settle();
    }

    private long now() {
        return Math.max(core.nowMillis(), context.nowMillis());
    }

    private void step() throws InterruptedException {
        List<Input> batch = new ArrayList<>();
        linger();
        inbox.poll(pollTime(), positions, batch);
        if (!noticeOutage(batch, now())) {
            patience.check(core, batch, this::now);
        }
        long now = now();
        if (batch.isEmpty() && !core.moreToDo() && core.nextDeadlineMillis() > now) {
            renewIfDue();
            return;
        }
        decide(batch, now);
        showGauges();
    }

    /** Waits a little after a decision, so that what arrives meanwhile shares a row. */
    private void linger() {
        long left = lastDecisionNanos + lingerNanos - System.nanoTime();
        if (lastDecisionNanos != 0 && left > 0 && !inbox.hasMore()) {
            LockSupport.parkNanos(this, left);
        }
    }

    private Duration pollTime() {
        if (core.moreToDo()) {
            return Duration.ZERO;
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(renewNanos);
        long untilDeadline = core.nextDeadlineMillis() - now();
        return Duration.ofMillis(Math.clamp(untilDeadline, 1, Math.max(1, millis)));
    }

    /**
     * This process did not run, or waited for PostgreSQL, for so long that deadlines are unjust.
     */
    private boolean noticeOutage(List<Input> batch, long now) {
        long nanos = System.nanoTime();
        long outage =
                TimeUnit.MILLISECONDS.toNanos(context.setting(SchedulerSettings.OUTAGE_MILLIS));
        long from = Math.max(lastAliveMillis, core.nowMillis());
        boolean noticed = nanos - lastAliveNanos > outage && from < now;
        if (noticed) {
            batch.addFirst(new Input.OutageEnded(from, now));
        }
        lastAliveNanos = nanos;
        lastAliveMillis = context.nowMillis();
        return noticed;
    }

    private void renewIfDue() throws InterruptedException {
        if (System.nanoTime() - lastBeatNanos < renewNanos) {
            return;
        }
        settle();
        if (!Awaited.get(leadership.renew(context.nowMillis()))) {
            throw new Fenced("the lease of epoch " + head.epoch() + " is lost");
        }
        lastBeatNanos = System.nanoTime();
        showGauges();
    }

    private void decide(List<Input> batch, long now) throws InterruptedException {
        long from = System.nanoTime();
        lastDecisionNanos = from;
        List<Input> inputs = new ArrayList<>(batch);
        inputs.add(new Input.Tick(now));
        List<Event> events = core.decide(inputs);
        context.metrics().cycle.record(System.nanoTime() - from, TimeUnit.NANOSECONDS);
        if (events.isEmpty()) {
            return;
        }
        Step.DECIDED.reach();
        context.metrics().inputs.increment(batch.size());
        context.metrics().batchInputs.record(batch.size());
        Batch encoded = encode(inputs, events);
        settle();
        Step.APPEND_BEFORE.reach();
        append(encoded);
    }

    private Batch encode(List<Input> inputs, List<Event> events) {
        List<EncodedEvent> encoded = new ArrayList<>(events.size());
        for (Event each : events) {
            encoded.add(EncodedEvent.of(each));
            if (each instanceof Event.ShardOwned owned) {
                positions.shardTaken(owned.shardEpoch());
            }
        }
        byte[] body = JournalBody.encode(inputs, encoded);
        context.metrics().rowBytes.record(body.length);
        Map<String, Long> vector = positions.copy();
        long last = core.seq();
        CommittedRow row =
                new CommittedRow(
                        last - events.size() + 1,
                        last,
                        core.nowMillis(),
                        vector,
                        List.copyOf(encoded));
        return new Batch(LaneVector.write(vector), LaneVector.write(inbox.offsets()), body, row);
    }

    private void append(Batch batch) {
        long from = System.nanoTime();
        Journal.Lease lease = leadership.lease(context.nowMillis());
        inFlight =
                context.journal()
                        .append(writer, head.epoch(), batch, lease)
                        .map(written -> {
                            if (!written) {
                                throw new Fenced(
                                        "epoch " + head.epoch() + " writes nothing any more");
                            }
                            afterCommit(batch.row(), from);
                            return true;
                        })
                        .onFailure(_ -> inbox.wake());
    }

    private void afterCommit(CommittedRow row, long fromNanos) {
        Step.APPEND_COMMITTED.reach();
        lastBeatNanos = System.nanoTime();
        PoolMetrics metrics = context.metrics();
        metrics.append.record(lastBeatNanos - fromNanos, TimeUnit.NANOSECONDS);
        metrics.events.increment(row.events().size());
        metrics.journalSeq.set(row.lastSeq());
        restarts.committed(row);
        committed.accept(row);
    }

    /** Waits for the append under way, if any. */
    private void settle() throws InterruptedException {
        Future<Boolean> append = inFlight;
        if (append != null) {
            Awaited.get(append);
            inFlight = null;
        }
    }

    private void showGauges() {
        long nanos = System.nanoTime();
        if (nanos - lastGaugesNanos < GAUGES_NANOS) {
            return;
        }
        lastGaugesNanos = nanos;
        PoolMetrics metrics = context.metrics();
        metrics.queuedJobs.set(core.count(JobState.QUEUED));
        long granted = 0;
        for (JobState state : JobState.values()) {
            if (state.holdsGrant()) {
                granted += core.count(state);
            }
        }
        metrics.grantedJobs.set(granted);
        metrics.illegal.set(core.counters().illegal());
        metrics.stale.set(core.counters().stale());
        metrics.kafkaLag.set(inbox.lag());
    }
}
