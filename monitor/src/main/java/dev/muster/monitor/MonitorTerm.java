package dev.muster.monitor;

import static dev.muster.platform.config.PlatformSettings.LANE_WINDOW;

import dev.muster.domain.Event;
import dev.muster.domain.PoolId;
import dev.muster.domain.PoolSnapshot;
import dev.muster.platform.codec.Malformed;
import dev.muster.platform.config.Settings;
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
import dev.muster.platform.run.Failpoints;
import dev.muster.platform.run.SerialLoop;
import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Future;
import io.vertx.core.Promise;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * One epoch of the monitor: folds the pool's facts, takes signals in, and gives its verdicts on its
 * lane. Nothing is carried over from an earlier term: what is still true is seen again.
 */
final class MonitorTerm implements LeaseOwner.Term, PoolFacts.Sink {

    private static final Logger LOG = LoggerFactory.getLogger(MonitorTerm.class);
    private static final int RECORDS = 500;
    private static final long FLUSH_MILLIS = 100;
    private static final long LOOK_MILLIS = 2000;

    /** How long signals of the near past may take to be read when a term begins. */
    private static final long BACKLOG_MILLIS = 2000;

    /** Signals of the near past give the picture at once. */
    private static final Duration LOOK_BACK = Duration.ofSeconds(30);

    /** What every term of a monitor uses. */
    record Means(
            ServiceContext context,
            PoolId pool,
            int partition,
            RecordProducer producer,
            MonitorMetrics metrics) {}

    private final Means means;
    private final TermLoop loop;
    private final LaneSender lane;
    private final LaneFeed feed;
    private final PoolFacts facts;
    private final Verdicts verdicts;
    private final SampleStore samples;
    private final List<Long> timers;
    private final List<RecordLoop> reading = new CopyOnWriteArrayList<>();
    private LiveJobs jobs = new LiveJobs();
    private boolean flushing;
    private volatile boolean current;

    MonitorTerm(Means means, LeaseOwner.Ownership ownership) {
        this.means = means;
        ServiceContext context = means.context;
        Settings settings = context.settings();
        this.loop = new TermLoop("monitor-" + means.pool, this::afterBatch, ownership.fail());
        this.lane =
                LaneSender.open(
                        LaneRoute.ofMonitor(
                                context.serviceId(),
                                means.pool,
                                ownership.epoch(),
                                context.kafka().topics(),
                                means.partition),
                        new LaneSender.Means(
                                SerialLoop.of(context.vertx()),
                                means.producer,
                                JournalledPositions.in(context.database()),
                                null,
                                settings,
                                context.meters()),
                        0);
        this.feed =
                new LaneFeed(
                        lane, settings.get(LANE_WINDOW), "monitor.verdict.sent", ownership.fail());
        this.verdicts =
                new Verdicts(
                        settings.get(MonitorSettings.PROGRESS_WINDOW_MILLIS),
                        feed::add,
                        means.metrics);
        this.samples = new SampleStore(context.database(), means.pool);
        JournalReader journal = new JournalReader(context.vertx(), context.database(), means.pool);
        this.facts = new PoolFacts(SerialLoop.of(context.vertx()), journal, means.pool, loop, this);
        this.timers =
                List.of(
                        every(LOOK_MILLIS, facts::look),
                        every(
                                TimeUnit.SECONDS.toMillis(
                                        settings.get(MonitorSettings.SAMPLE_SECONDS)),
                                this::sample),
                        every(TimeUnit.HOURS.toMillis(1), this::forget));
    }

    private long every(long millis, Runnable step) {
        return means.context.vertx().setPeriodic(millis, _ -> loop.execute(step));
    }

    @Override
    public void start() {
        ServiceContext context = means.context;
        loop.start();
        // the stream first: what happens while the journal is read is then seen in either
        reading.add(
                read(
                        "monitor-events-" + means.pool,
                        context.kafka().topics().events(),
                        new RecordLoop.Start.End(),
                        facts::records));
        loop.execute(facts::begin);
    }

    private RecordLoop read(
            String name, String topic, RecordLoop.Start start, RecordLoop.Handler handler) {
        return RecordLoop.start(
                means.context.kafka(),
                new RecordLoop.Source(
                        name, List.of(new TopicPartition(topic, means.partition)), start, RECORDS),
                handler,
                means.context.meters());
    }

    @Override
    public void begin(Optional<PoolSnapshot> snapshot) {
        jobs = snapshot.map(LiveJobs::of).orElseGet(LiveJobs::new);
    }

    @Override
    public void current() {
        current = true;
        ServiceContext context = means.context;
        // signals are read once the gangs that they belong to are known
        reading.add(
                read(
                        "monitor-progress-" + means.pool,
                        context.kafka().topics().progress(),
                        new RecordLoop.Start.Since(context.clock().instant().minus(LOOK_BACK)),
                        this::signals));
        // what happened while no monitor was there
        jobs.exits().forEach(exit -> awaitSignals(exit, BACKLOG_MILLIS));
    }

    @Override
    public boolean concerns(String type) {
        return LiveJobs.concerns(type);
    }

    @Override
    public void fact(Event event) {
        jobs.apply(event);
        if (current && event instanceof Event.InstanceExited exited && exited.exitCode() > 0) {
            int patience = means.context.settings().get(MonitorSettings.EXIT_PATIENCE_MILLIS);
            jobs.exit(exited.job(), exited.index()).ifPresent(exit -> awaitSignals(exit, patience));
        }
    }

    /** The last signals of a command may be a little later than its exit. */
    private void awaitSignals(LiveJobs.Exit exit, long patience) {
        if (patience == 0 || exit.explained()) {
            verdicts.judge(jobs, exit);
        } else {
            means.context
                    .vertx()
                    .setTimer(patience, _ -> loop.execute(() -> verdicts.judge(jobs, exit)));
        }
    }

    private Future<Void> signals(List<ConsumerRecord<String, byte[]>> batch) {
        List<ProgressRecord> records = new ArrayList<>(batch.size());
        for (ConsumerRecord<String, byte[]> each : batch) {
            try {
                records.add(ProgressRecord.read(each));
            } catch (Malformed e) {
                LOG.warn("signals at offset {} are skipped: {}", each.offset(), e.getMessage());
            }
        }
        Promise<Void> done = Promise.promise();
        loop.execute(() -> {
            records.forEach(this::take);
            done.complete();
        });
        return done.future();
    }

    private void take(ProgressRecord record) {
        if (record.pool().equals(means.pool)) {
            verdicts.heard(jobs, record, current);
        }
    }

    private void sample() {
        long now = means.context.clock().millis();
        List<SampleStore.Sample> seen = SampleStore.of(jobs.all());
        if (seen.isEmpty()) {
            return;
        }
        samples.store(now, seen)
                .onSuccess(_ -> Failpoints.reach("monitor.samples.stored"))
                .onFailure(cause -> LOG.warn("samples are lost: {}", cause.getMessage()));
    }

    private void forget() {
        long age =
                TimeUnit.HOURS.toMillis(
                        means.context.settings().get(MonitorSettings.SAMPLE_KEEP_HOURS));
        samples.forget(means.context.clock().millis() - age)
                .onFailure(cause -> LOG.warn("old samples stay: {}", cause.getMessage()));
    }

    private void afterBatch() {
        if (!feed.flush() && !flushing) {
            flushing = true;
            means.context.vertx().setTimer(FLUSH_MILLIS, _ -> loop.execute(this::flushAgain));
        }
        means.metrics.show(jobs.all().size(), feed.backlog());
    }

    private void flushAgain() {
        flushing = false;
    }

    /** Whether the pool's facts are known, so that verdicts are given. */
    boolean acting() {
        return current;
    }

    @Override
    public Future<Void> stop() {
        timers.forEach(means.context.vertx()::cancelTimer);
        return means.context
                .vertx()
                .<Void>executeBlocking(
                        () -> {
                            loop.stop();
                            reading.forEach(RecordLoop::stop);
                            return null;
                        },
                        false)
                .eventually(lane::close);
    }
}
