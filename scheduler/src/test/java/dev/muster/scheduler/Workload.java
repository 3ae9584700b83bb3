package dev.muster.scheduler;

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
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.kafka.JournalledPositions;
import dev.muster.platform.kafka.LaneRecord;
import dev.muster.platform.kafka.LaneRoute;
import dev.muster.platform.kafka.LaneSender;
import dev.muster.platform.kafka.RecordLoop;
import dev.muster.platform.kafka.RecordProducer;
import dev.muster.platform.run.SerialLoop;
import dev.muster.platform.run.ServiceContext;
import dev.muster.platform.run.ServiceRunner;

import io.vertx.core.Future;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * What stands around a scheduler: a gateway's lane of commands, an executor that reports what the
 * events ask for, and a reader that keeps every event it has seen by seq.
 */
final class Workload implements AutoCloseable {

    static final PoolId POOL = new PoolId("public");
    static final ProjectId PROJECT = new ProjectId("vision");

    private static final long SHARD_EPOCH = 1;
    private static final int KILLED = 137;

    private final ServiceContext context;
    private final RecordProducer producer;
    private final LaneSender gateway;
    private final LaneSender executor;
    private final RecordLoop events;
    private final Map<Long, EventRecord> seen = new ConcurrentSkipListMap<>();
    private final Map<JobId, Integer> instances = new HashMap<>();
    private final Set<JobId> troubled = ConcurrentHashMap.newKeySet();
    private final Map<JobId, String> ended = new ConcurrentHashMap<>();

    Workload(ServiceRunner runner, int nodes) {
        context = runner.context();
        producer =
                RecordProducer.open(context.vertx(), context.kafka(), "workload", context.meters());
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
        for (int i = 0; i < nodes; i++) {
            NodeShape shape = new NodeShape(64_000, 262_144, "pretend", 8, "");
            report(new Report.NodeObserved(SHARD_EPOCH, new NodeId("node-" + i), shape, true));
        }
        events =
                RecordLoop.start(
                        context.kafka(),
                        new RecordLoop.Source(
                                "workload",
                                List.of(new TopicPartition(topics.events(), 0)),
                                new RecordLoop.Start.Beginning(),
                                5000),
                        this::take,
                        context.meters());
    }

    JobId submit(int size) {
        return submit(size, RestartPolicy.OFF);
    }

    /**
     * One that restarts: its first process start is killed from outside, the next ones end well.
     */
    JobId submitTroubled(int size) {
        return submit(size, new RestartPolicy(true, 3, false, true));
    }

    private JobId submit(int size, RestartPolicy policy) {
        JobId job = JobId.of(UUID.randomUUID());
        if (policy.autoRestart()) {
            troubled.add(job);
        }
        Ask ask =
                new Ask(
                        job,
                        PROJECT,
                        new QueueId("default"),
                        2,
                        size,
                        "pretend",
                        new Resources(1000, 1024, 1000),
                        0);
        ask = ask.withRecovery(policy, false, Watch.DEFAULT);
        command(new Command.SubmitJob(ask, "job", "0".repeat(64), context.clock().millis()));
        return job;
    }

    void command(Command command) {
        sent(gateway.append(command));
    }

    /** A record as it is, past the lanes' senders. */
    void raw(LaneRecord record) {
        raw(record.toKafka(context.kafka().topics().commands(), 0));
    }

    void raw(ProducerRecord<String, byte[]> record) {
        try {
            Awaited.get(producer.send(record));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void report(Report report) {
        sent(executor.append(report));
    }

    private static void sent(Future<Long> n) {
        n.onFailure(e -> {
            throw new IllegalStateException(e);
        });
    }

    private Future<Void> take(List<ConsumerRecord<String, byte[]>> batch) {
        for (ConsumerRecord<String, byte[]> each : batch) {
            EventRecord event = EventRecord.read(each);
            if (seen.putIfAbsent(event.seq(), event) == null) {
                act(event.decode().orThrow());
            }
        }
        return Future.succeededFuture();
    }

    private void act(Event event) {
        switch (event) {
            case Event.GangGranted e -> {
                instances.put(e.job(), e.placements().size());
                each(
                        e.job(),
                        e.attempt(),
                        r -> report(new Report.InstancePrepared(SHARD_EPOCH, r)));
            }
            case Event.JobStarting e -> each(e.job(), e.attempt(), r -> runs(r, e.processStart()));
            case Event.JobRestarting e ->
                    each(e.job(), e.attempt(), r -> runs(r, e.processStart()));
            case Event.JobFinishing e ->
                    each(
                            e.job(),
                            e.attempt(),
                            r -> report(new Report.InstanceGone(SHARD_EPOCH, r)));
            case Event.JobStopping e ->
                    each(
                            e.job(),
                            e.attempt(),
                            r -> report(new Report.InstanceGone(SHARD_EPOCH, r)));
            case Event.JobSucceeded e -> ended.put(e.job(), e.type());
            case Event.JobFailed e -> ended.put(e.job(), e.type());
            case Event.JobStopped e -> ended.put(e.job(), e.type());
            case Event.OfJob _,
                    Event.OfNode _,
                    Event.CommandRefused _,
                    Event.LeaderTookOver _,
                    Event.ShardOwned _,
                    Event.OutageObserved _,
                    Event.InputsAbsorbed _ -> {
                // nothing for an executor to do
            }
        }
    }

    private void runs(InstanceRef instance, int processStart) {
        int code = processStart == 1 && troubled.contains(instance.job()) ? KILLED : 0;
        report(new Report.InstanceStarted(SHARD_EPOCH, instance, processStart));
        report(new Report.InstanceExited(SHARD_EPOCH, instance, processStart, code));
    }

    private void each(JobId job, int attempt, java.util.function.Consumer<InstanceRef> work) {
        for (int i = 0; i < instances.getOrDefault(job, 0); i++) {
            work.accept(new InstanceRef(job, attempt, i, 1));
        }
    }

    /** Type of the last event of each job that has ended. */
    Map<JobId, String> ended() {
        return ended;
    }

    /** All events by seq, each once. */
    Map<Long, EventRecord> seen() {
        return seen;
    }

    /** Number of seqs that are missing before the last one seen. */
    long holes() {
        return seen.isEmpty()
                ? 0
                : ((ConcurrentSkipListMap<Long, EventRecord>) seen).lastKey() - seen.size();
    }

    @Override
    public void close() {
        events.stop();
        try {
            Awaited.get(gateway.close());
            Awaited.get(executor.close());
            Awaited.get(producer.close());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
