package dev.muster.executor;

import static dev.muster.platform.config.PlatformSettings.LANE_WINDOW;

import dev.muster.domain.Event;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.PoolId;
import dev.muster.domain.PoolSnapshot;
import dev.muster.domain.Report;
import dev.muster.platform.journal.JournalReader;
import dev.muster.platform.journal.PoolFacts;
import dev.muster.platform.kafka.JournalledPositions;
import dev.muster.platform.kafka.LaneFeed;
import dev.muster.platform.kafka.LaneRoute;
import dev.muster.platform.kafka.LaneSender;
import dev.muster.platform.kafka.ProgressRecord;
import dev.muster.platform.kafka.RecordLoop;
import dev.muster.platform.kafka.RecordProducer;
import dev.muster.platform.lease.LeaseOwner;
import dev.muster.platform.lease.TermLoop;
import dev.muster.platform.run.SerialLoop;
import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Future;

import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One epoch of the shard, from taking it to losing it: says that the shard is taken, loads what is
 * desired, finds what exists, and reconciles the two until it is stopped. Nothing is carried over
 * from an earlier term.
 */
final class ShardTerm implements LeaseOwner.Term, PoolFacts.Sink, ExecutorMetrics.Figures {

    private static final int RECORDS = 1000;
    private static final long FLUSH_MILLIS = 100;
    private static final long LOOK_MILLIS = 2000;

    /** What every term of an executor uses. */
    record Means(
            ServiceContext context,
            PoolId pool,
            int partition,
            InstanceBackend backend,
            RecordProducer producer,
            ExecutorMetrics metrics,
            long resyncMillis,
            long progressMillis) {}

    private final Means means;
    private final long epoch;
    private final Consumer<Throwable> failed;
    private final TermLoop loop;
    private final LaneSender lane;
    private final LaneFeed reports;
    private final BackendSession session;
    private final Reconciler reconciler;
    private final ProgressSender progress;
    private final PoolFacts facts;
    private final List<Long> timers;
    private @Nullable RecordLoop records;
    private boolean flushing;
    private volatile boolean current;
    private volatile int live;
    private volatile long refills;
    private volatile long skipped;
    private volatile long seq;

    ShardTerm(Means means, LeaseOwner.Ownership ownership) {
        this.means = means;
        this.epoch = ownership.epoch();
        this.failed = ownership.fail();
        ServiceContext context = means.context;
        this.loop = new TermLoop("executor-" + means.pool, this::afterBatch, failed);
        this.lane = LaneSender.open(route(means, epoch), lane(means), 0);
        this.reports =
                new LaneFeed(
                        lane, context.settings().get(LANE_WINDOW), "executor.report.sent", failed);
        this.session = means.backend.open(change -> loop.execute(() -> changed(change)));
        SpecStore specs =
                new SpecStore(context.vertx(), context.database(), loop, this::specArrived);
        this.reconciler =
                new Reconciler(
                        new Reconciler.Means(epoch, session, reports::add, specs, means.metrics));
        this.progress = new ProgressSender(progress(means), epoch, session);
        JournalReader journal = new JournalReader(context.vertx(), context.database(), means.pool);
        this.facts = new PoolFacts(SerialLoop.of(context.vertx()), journal, means.pool, loop, this);
        this.timers =
                List.of(
                        every(LOOK_MILLIS, facts::look),
                        every(means.resyncMillis, reconciler::recheck),
                        every(means.progressMillis, progress::all));
    }

    private static LaneRoute route(Means means, long epoch) {
        ServiceContext context = means.context;
        return LaneRoute.ofExecutor(
                context.serviceId(), means.pool, epoch, context.kafka().topics(), means.partition);
    }

    private static ProgressSender.Means progress(Means means) {
        ServiceContext context = means.context;
        return new ProgressSender.Means(
                context.vertx(),
                means.producer,
                context.clock(),
                means.pool,
                context.kafka().topics().progress(),
                means.partition);
    }

    private static LaneSender.Means lane(Means means) {
        ServiceContext context = means.context;
        return new LaneSender.Means(
                SerialLoop.of(context.vertx()),
                means.producer,
                JournalledPositions.in(context.database()),
                null,
                context.settings(),
                context.meters());
    }

    private long every(long millis, Runnable step) {
        return means.context.vertx().setPeriodic(millis, _ -> loop.execute(step));
    }

    @Override
    public void start() {
        ServiceContext context = means.context;
        loop.start();
        means.metrics.show(this);
        loop.execute(this::introduce);
        // the stream first: what happens while the journal is read is then seen in either
        records =
                RecordLoop.start(
                        context.kafka(),
                        new RecordLoop.Source(
                                "executor-events-" + means.pool,
                                List.of(
                                        new TopicPartition(
                                                context.kafka().topics().events(),
                                                means.partition)),
                                new RecordLoop.Start.End(),
                                RECORDS),
                        facts::records,
                        context.meters());
        loop.execute(facts::begin);
    }

    private void introduce() {
        reports.add(new Report.ShardTaken(epoch, means.context.serviceId()));
        for (BackendNode each : means.backend.nodes()) {
            reports.add(new Report.NodeObserved(epoch, each.node(), each.shape(), each.ready()));
        }
    }

    @Override
    public void begin(Optional<PoolSnapshot> snapshot) {
        reconciler.load(snapshot.map(DesiredState::of).orElseGet(DesiredState::new));
    }

    @Override
    public void current() {
        means.context
                .vertx()
                .executeBlocking(session::existing, false)
                .onSuccess(existing -> loop.execute(() -> bothKnown(existing)))
                .onFailure(failed::accept);
    }

    private void bothKnown(Set<InstanceRef> existing) {
        reconciler.begin(existing);
        current = true;
    }

    @Override
    public boolean concerns(String type) {
        return DesiredState.concerns(type);
    }

    @Override
    public void fact(Event event) {
        reconciler.fact(event);
    }

    private void changed(InstanceChange change) {
        if (change instanceof InstanceChange.Signalled(ProgressRecord.Signal signal)) {
            progress.add(signal);
        } else {
            reconciler.change(change);
        }
    }

    private void specArrived(JobId job) {
        reconciler.specArrived(job);
    }

    private void afterBatch() {
        means.metrics.reconciled(reconciler::reconcile);
        progress.flush();
        if (!reports.flush() && !flushing) {
            // the lane is full: it learns of its deliveries a little later
            flushing = true;
            means.context.vertx().setTimer(FLUSH_MILLIS, _ -> loop.execute(this::flushAgain));
        }
        live = reconciler.live();
        refills = facts.refills();
        skipped = facts.skipped();
        seq = facts.seq();
    }

    private void flushAgain() {
        flushing = false;
    }

    /** Whether desired and observed are known and compared. */
    boolean acting() {
        return current;
    }

    @Override
    public Future<Void> stop() {
        timers.forEach(means.context.vertx()::cancelTimer);
        means.metrics.show(null);
        return means.context
                .vertx()
                .<Void>executeBlocking(
                        () -> {
                            loop.stop();
                            session.close();
                            RecordLoop reading = records;
                            if (reading != null) {
                                reading.stop();
                            }
                            return null;
                        },
                        false)
                .eventually(lane::close);
    }

    @Override
    public int live() {
        return live;
    }

    @Override
    public long backlog() {
        return reports.backlog();
    }

    @Override
    public int waiting() {
        return loop.waiting();
    }

    @Override
    public long refills() {
        return refills;
    }

    @Override
    public long skipped() {
        return skipped;
    }

    @Override
    public long seq() {
        return seq;
    }
}
