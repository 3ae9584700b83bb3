package dev.muster.executor;

import dev.muster.core.CoreSettings;
import dev.muster.core.PoolCore;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;
import dev.muster.domain.LaneId;
import dev.muster.domain.Message;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.JobSpecJson;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.codec.SnapshotCodec;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.kafka.LaneRecord;
import dev.muster.platform.kafka.RecordLoop;
import dev.muster.platform.kafka.RecordProducer;
import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * The other side of an executor: the real core behind a real event stream and journal, in the
 * smallest form. What it decides is journalled, then published, unless the stream is cut.
 */
final class ScriptedPool implements AutoCloseable {

    private static final LaneId COMMANDS = new LaneId("gateway/test/public");

    private final ServiceContext context;
    private final RecordProducer producer;
    private final RecordLoop reports;
    private final PoolCore core = PoolCore.empty(Facts.POOL, CoreSettings.DEFAULT);
    private final Map<String, Long> positions = new HashMap<>();
    private final List<Event> events = new CopyOnWriteArrayList<>();
    private final List<Message> delivered = new CopyOnWriteArrayList<>();
    private long commands;
    private volatile boolean cut;

    ScriptedPool(ServiceContext context) {
        this.context = context;
        await(
                context.database()
                        .script(
                                """
                                CREATE SCHEMA scheduler;
                                CREATE SCHEMA gateway;
                                CREATE TABLE scheduler.pub_pool_head (
                                  pool text PRIMARY KEY, epoch bigint, seq bigint, positions jsonb);
                                CREATE TABLE scheduler.pub_journal (
                                  pool text, first_seq bigint, last_seq bigint, body bytea);
                                CREATE TABLE scheduler.pub_snapshot (
                                  pool text, seq bigint, body bytea);
                                CREATE TABLE gateway.pub_spec (
                                  job uuid PRIMARY KEY, spec_hash text, spec bytea);
                                INSERT INTO scheduler.pub_pool_head VALUES ('public', 1, 0, '{}')
                                """));
        this.producer =
                RecordProducer.open(
                        context.vertx(), context.kafka(), "scripted-pool", context.meters());
        decide(List.of(new Input.LeaderElected(1, "test", 1)));
        this.reports =
                RecordLoop.start(
                        context.kafka(),
                        new RecordLoop.Source(
                                "scripted-reports",
                                List.of(new TopicPartition(context.kafka().topics().reports(), 0)),
                                new RecordLoop.Start.Beginning(),
                                1000),
                        this::take,
                        context.meters());
    }

    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Facts so far. */
    List<Event> events() {
        return events;
    }

    /** Reports that were taken in, in order. */
    List<Message> reports() {
        return delivered;
    }

    /** Nothing is published from now on; what is decided is in the journal alone. */
    void cut(boolean off) {
        cut = off;
    }

    synchronized JobId submit(JobSpec spec) {
        JobId job = Facts.newJob();
        byte[] canonical = JobSpecJson.canonical(spec);
        String hash = JobSpecJson.hash(canonical);
        await(
                context.database()
                        .query(
                                "INSERT INTO gateway.pub_spec VALUES ($1, $2, $3)",
                                Tuple.of(job.uuid(), hash, Buffer.buffer(canonical))));
        command(new Command.SubmitJob(spec.ask(job), spec.name(), hash, 1));
        return job;
    }

    synchronized void stop(JobId job) {
        command(new Command.StopJob("stop-" + job, job, "test", "no longer wanted"));
    }

    synchronized void snapshot() {
        await(
                context.database()
                        .query(
                                "INSERT INTO scheduler.pub_snapshot VALUES ('public', $1, $2)",
                                Tuple.of(
                                        core.seq(),
                                        Buffer.buffer(SnapshotCodec.encode(core.snapshot())))));
    }

    private void command(Command command) {
        decide(List.of(new Input.Delivered(COMMANDS, ++commands, command)));
    }

    private synchronized Future<Void> take(List<ConsumerRecord<String, byte[]>> batch) {
        List<Input> inputs = new ArrayList<>();
        for (ConsumerRecord<String, byte[]> each : batch) {
            LaneRecord record = LaneRecord.read(each);
            long position = positions.getOrDefault(record.lane().value(), 0L);
            if (record.n() == position + 1) {
                positions.put(record.lane().value(), record.n());
                Input.Delivered input = record.delivered();
                delivered.add(input.message());
                inputs.add(input);
            }
        }
        if (!inputs.isEmpty()) {
            decide(inputs);
        }
        return Future.succeededFuture();
    }

    private synchronized void decide(List<Input> inputs) {
        List<Input> batch = new ArrayList<>(inputs);
        batch.add(new Input.Tick(System.currentTimeMillis()));
        List<Event> decided = core.decide(batch);
        long first = core.seq() - decided.size() + 1;
        List<EncodedEvent> encoded = decided.stream().map(EncodedEvent::of).toList();
        journal(first, JournalBody.encode(batch, encoded));
        events.addAll(decided);
        if (cut) {
            return;
        }
        for (int n = 0; n < encoded.size(); n++) {
            EventRecord record =
                    EventRecord.of(Facts.POOL, first + n, core.nowMillis(), encoded.get(n));
            await(producer.send(record.toKafka(context.kafka().topics().events(), 0)));
        }
    }

    private void journal(long first, byte[] body) {
        StringBuilder json = new StringBuilder("{");
        positions.forEach((lane, n) ->
                json.append(json.length() > 1 ? "," : "")
                        .append('"')
                        .append(lane)
                        .append("\":")
                        .append(n));
        await(
                context.database()
                        .query(
                                """
                                WITH row AS (
                                  INSERT INTO scheduler.pub_journal VALUES ('public', $1, $2, $3))
                                UPDATE scheduler.pub_pool_head
                                SET seq = $2, positions = $4::text::jsonb\
                                """,
                                Tuple.of(
                                        first,
                                        core.seq(),
                                        Buffer.buffer(body),
                                        json.append('}').toString())));
    }

    @Override
    public void close() {
        reports.stop();
        await(producer.close());
    }
}
