package dev.muster.bench;

import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.NodeId;
import dev.muster.domain.NodeShape;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.QueueId;
import dev.muster.domain.Report;
import dev.muster.domain.Resources;
import dev.muster.domain.RestartPolicy;
import dev.muster.domain.Watch;
import dev.muster.platform.codec.Decoded;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.kafka.JournalledPositions;
import dev.muster.platform.kafka.LaneRoute;
import dev.muster.platform.kafka.LaneSender;
import dev.muster.platform.kafka.RecordLoop;
import dev.muster.platform.kafka.RecordProducer;
import dev.muster.platform.run.SerialLoop;
import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Future;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * What stands around a scheduler: a gateway's lane that submits jobs of some thousand
 * specifications, and an executor's lane that reports what the events ask for. Jobs run until they
 * are told to end.
 */
final class RecoveryLoad implements AutoCloseable {

    static final PoolId POOL = new PoolId("public");

    private static final long SHARD_EPOCH = 1;
    private static final int DEVICES = 8;

    /** Records of a lane that the journal has not passed. */
    private static final long MOST_UNDER_WAY = 100_000;

    private final ServiceContext context;
    private final int specs;
    private final RecordProducer producer;
    private final LaneSender gateway;
    private final LaneSender executor;
    private final RecordLoop events;
    private final AtomicLong submitted = new AtomicLong();
    private final AtomicLong reported = new AtomicLong();
    private final AtomicLong granted = new AtomicLong();
    private final AtomicLong lastSeq = new AtomicLong();
    private final Map<JobId, Integer> sizes = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<JobId> running = new ConcurrentLinkedQueue<>();
    private final AtomicLong runningCount = new AtomicLong();
    private final Random ids = new Random(7);

    RecoveryLoad(ServiceContext context, int specs) {
        this.context = context;
        this.specs = specs;
        producer =
                RecordProducer.open(context.vertx(), context.kafka(), "recovery", context.meters());
        LaneSender.Means means =
                new LaneSender.Means(
                        SerialLoop.of(context.vertx()),
                        producer,
                        JournalledPositions.in(context.database()),
                        null,
                        context.settings(),
                        context.meters());
        var topics = context.kafka().topics();
        gateway = LaneSender.open(LaneRoute.ofGateway("g", POOL, topics, 0), means, 0);
        executor =
                LaneSender.open(LaneRoute.ofExecutor("e", POOL, SHARD_EPOCH, topics, 0), means, 0);
        report(new Report.ShardTaken(SHARD_EPOCH, "e"));
        events =
                RecordLoop.start(
                        context.kafka(),
                        new RecordLoop.Source(
                                "recovery",
                                List.of(new TopicPartition(topics.events(), 0)),
                                new RecordLoop.Start.Beginning(),
                                5000),
                        this::take,
                        context.meters());
    }

    /** Declares as many nodes as give this many devices. */
    void declareNodes(int devices) throws InterruptedException {
        NodeShape shape = new NodeShape(64_000, 524_288, "Ascend910", DEVICES, "");
        for (int i = 0; i < (devices + DEVICES - 1) / DEVICES; i++) {
            awaitRoom();
            report(new Report.NodeObserved(SHARD_EPOCH, new NodeId("node-" + i), shape, true));
        }
    }

    /** Submits jobs, each of which takes one device. */
    void submit(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            awaitRoom();
            long n = submitted.getAndIncrement();
            int spec = (int) (n % specs);
            String hash = HexFormat.of().toHexDigits(spec * 0x9E3779B97F4A7C15L).repeat(4);
            sent(
                    gateway.append(
                            new Command.SubmitJob(
                                    ask(n, spec),
                                    "train-" + spec,
                                    hash,
                                    context.clock().millis())));
            if (n % 100_000 == 99_999) {
                Progress.say((n + 1) + " jobs are submitted");
            }
        }
    }

    private Ask ask(long n, int spec) {
        boolean halves = spec % 2 == 0;
        Resources each =
                new Resources(
                        250 * (1 + spec / 2 % 8), 1024 * (1 + spec / 16 % 2), halves ? 500 : 1000);
        Ask plain =
                new Ask(
                        id(n),
                        new ProjectId("project-" + spec % 200),
                        new QueueId("queue-" + spec % 16),
                        1 + spec % 3,
                        halves ? 2 : 1,
                        "Ascend910",
                        each,
                        spec % 4 == 0 ? 864_000 : 0);
        return spec % 5 == 0
                ? plain.withRecovery(
                        new RestartPolicy(true, 3, false, true), false, new Watch(1800, 600))
                : plain;
    }

    /** As gateways make them: by time, then chance. */
    private JobId id(long n) {
        long millis = context.clock().millis();
        return new JobId(millis << 16 | 0x7000 | (n & 0xFFF), ids.nextLong() >>> 2 | 1L << 63);
    }

    private void awaitRoom() throws InterruptedException {
        while (submitted.get() - gateway.acknowledged() > MOST_UNDER_WAY
                || reported.get() - executor.acknowledged() > MOST_UNDER_WAY) {
            Thread.sleep(2);
        }
    }

    private void report(Report report) {
        reported.incrementAndGet();
        sent(executor.append(report));
    }

    private static void sent(Future<Long> n) {
        n.onFailure(e -> Progress.say("a lane refuses: " + e.getMessage()));
    }

    private Future<Void> take(List<ConsumerRecord<String, byte[]>> batch) {
        for (ConsumerRecord<String, byte[]> each : batch) {
            EventRecord event = EventRecord.read(each);
            if (event.seq() > lastSeq.get()) {
                lastSeq.set(event.seq());
                if (event.decode() instanceof Decoded.Known<Event>(Event known)) {
                    act(known);
                }
            }
        }
        return Future.succeededFuture();
    }

    private void act(Event event) {
        if (event instanceof Event.GangGranted e) {
            granted.incrementAndGet();
            sizes.put(e.job(), e.placements().size());
            each(e.job(), e.attempt(), r -> report(new Report.InstancePrepared(SHARD_EPOCH, r)));
        } else if (event instanceof Event.JobStarting e) {
            each(
                    e.job(),
                    e.attempt(),
                    r -> report(new Report.InstanceStarted(SHARD_EPOCH, r, e.processStart())));
        } else if (event instanceof Event.JobStarted e) {
            running.add(e.job());
            runningCount.incrementAndGet();
        } else if (event instanceof Event.JobFinishing e) {
            each(e.job(), e.attempt(), r -> report(new Report.InstanceGone(SHARD_EPOCH, r)));
            sizes.remove(e.job());
        }
    }

    private void each(JobId job, int attempt, Consumer<InstanceRef> work) {
        int size = sizes.getOrDefault(job, 0);
        for (int i = 0; i < size; i++) {
            work.accept(new InstanceRef(job, attempt, i, 1));
        }
    }

    /** Ends the command of the job that runs longest, so that another one is granted its device. */
    void endOne() {
        JobId job = running.poll();
        if (job != null) {
            runningCount.decrementAndGet();
            each(job, 1, r -> report(new Report.InstanceExited(SHARD_EPOCH, r, 1, 0)));
        }
    }

    long running() {
        return runningCount.get();
    }

    long queued() {
        return submitted.get() - granted.get();
    }

    /** Whether the journal has passed all that was sent. */
    boolean journalled() {
        return gateway.acknowledged() == submitted.get()
                && executor.acknowledged() == reported.get();
    }

    @Override
    public void close() {
        events.stop();
        List.of(gateway.close(), executor.close(), producer.close())
                .forEach(each -> each.onFailure(e -> Progress.say("not closed: " + e)));
    }
}
