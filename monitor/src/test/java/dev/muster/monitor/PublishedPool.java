package dev.muster.monitor;

import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.Message;
import dev.muster.domain.PoolId;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.kafka.LaneRecord;
import dev.muster.platform.kafka.ProgressRecord;
import dev.muster.platform.kafka.ProgressRecord.Signal;
import dev.muster.platform.kafka.RecordLoop;
import dev.muster.platform.kafka.RecordProducer;
import dev.muster.platform.run.ServiceContext;
import dev.muster.testkit.PoisonRecords;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * What a monitor sees of its surroundings: a journal, an event stream and signals, as they are
 * given; and what it says on its lane.
 */
final class PublishedPool implements AutoCloseable {

    static final PoolId POOL = new PoolId("public");

    private final ServiceContext context;
    private final RecordProducer producer;
    private final RecordLoop commands;
    private final List<Message> said = new CopyOnWriteArrayList<>();
    private long seq;

    PublishedPool(ServiceContext context) {
        this.context = context;
        await(
                context.database()
                        .script(
                                """
                                CREATE SCHEMA scheduler;
                                CREATE TABLE scheduler.pub_pool_head (
                                  pool text PRIMARY KEY, epoch bigint, seq bigint, positions jsonb);
                                CREATE TABLE scheduler.pub_journal (
                                  pool text, first_seq bigint, last_seq bigint, body bytea);
                                CREATE TABLE scheduler.pub_snapshot (
                                  pool text, seq bigint, body bytea);
                                INSERT INTO scheduler.pub_pool_head VALUES ('public', 1, 0, '{}')
                                """));
        this.producer =
                RecordProducer.open(context.vertx(), context.kafka(), "test", context.meters());
        this.commands =
                RecordLoop.start(
                        context.kafka(),
                        new RecordLoop.Source(
                                "said",
                                List.of(new TopicPartition(context.kafka().topics().commands(), 0)),
                                new RecordLoop.Start.Beginning(),
                                1000),
                        this::take,
                        context.meters());
    }

    private Future<Void> take(List<ConsumerRecord<String, byte[]>> batch) {
        batch.forEach(each -> said.add(LaneRecord.read(each).delivered().message()));
        return Future.succeededFuture();
    }

    /** What monitors said so far, repeats included. */
    List<Message> said() {
        return said;
    }

    /** Journals facts and publishes them. */
    void facts(Event... events) {
        List<EncodedEvent> encoded = journal(events);
        for (int n = 0; n < encoded.size(); n++) {
            long of = seq - encoded.size() + n + 1;
            EventRecord record = EventRecord.of(POOL, of, of, encoded.get(n));
            await(producer.send(record.toKafka(context.kafka().topics().events(), 0)));
        }
    }

    /** Journals facts that the stream does not bring. */
    List<EncodedEvent> journal(Event... events) {
        List<EncodedEvent> encoded = List.of(events).stream().map(EncodedEvent::of).toList();
        long first = seq + 1;
        seq += events.length;
        byte[] body = JournalBody.encode(List.of(new Input.Tick(1)), encoded);
        await(
                context.database()
                        .query(
                                """
                                WITH row AS (
                                  INSERT INTO scheduler.pub_journal VALUES ('public', $1, $2, $3))
                                UPDATE scheduler.pub_pool_head SET seq = $2\
                                """,
                                Tuple.of(first, seq, Buffer.buffer(body))));
        return encoded;
    }

    /** Every kind of record that is no event or no signal, each like the next that will come. */
    void poison(Event like, Signal signal) {
        EventRecord event = EventRecord.of(POOL, seq + 1, seq + 1, EncodedEvent.of(like));
        ProgressRecord progress =
                new ProgressRecord(POOL, 5, context.clock().millis(), List.of(signal));
        PoisonRecords.of(event.toKafka(context.kafka().topics().events(), 0))
                .forEach(each -> await(producer.send(each)));
        PoisonRecords.of(progress.toKafka(context.kafka().topics().progress(), 0))
                .forEach(each -> await(producer.send(each)));
    }

    void signals(long shardEpoch, Signal... signals) {
        ProgressRecord record =
                new ProgressRecord(POOL, shardEpoch, context.clock().millis(), List.of(signals));
        await(producer.send(record.toKafka(context.kafka().topics().progress(), 0)));
    }

    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        commands.stop();
        await(producer.close());
    }
}
