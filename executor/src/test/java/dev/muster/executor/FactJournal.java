package dev.muster.executor;

import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.JobSpecJson;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.kafka.RecordProducer;
import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A pool's journal and event stream, in the smallest form. */
final class FactJournal implements AutoCloseable {

    /** Positions of lanes that the journal has passed. */
    final Map<String, Long> positions = new HashMap<>();

    private final ServiceContext context;
    private final RecordProducer producer;

    FactJournal(ServiceContext context) {
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
    }

    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Stores a specification and gives its hash. */
    String store(JobId job, JobSpec spec) {
        byte[] canonical = JobSpecJson.canonical(spec);
        String hash = JobSpecJson.hash(canonical);
        await(
                context.database()
                        .query(
                                "INSERT INTO gateway.pub_spec VALUES ($1, $2, $3)",
                                Tuple.of(job.uuid(), hash, Buffer.buffer(canonical))));
        return hash;
    }

    /**
     * Journals and publishes facts.
     *
     * @param lastSeq of the last of them
     * @param published whether the stream brings them as well
     */
    void append(List<Input> inputs, List<Event> facts, long lastSeq, boolean published) {
        long first = lastSeq - facts.size() + 1;
        List<EncodedEvent> encoded = facts.stream().map(EncodedEvent::of).toList();
        journal(first, lastSeq, JournalBody.encode(inputs, encoded));
        for (int n = 0; published && n < encoded.size(); n++) {
            EventRecord record =
                    EventRecord.of(
                            Facts.POOL, first + n, System.currentTimeMillis(), encoded.get(n));
            await(producer.send(record.toKafka(context.kafka().topics().events(), 0)));
        }
    }

    private void journal(long first, long last, byte[] body) {
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
                                        last,
                                        Buffer.buffer(body),
                                        json.append('}').toString())));
    }

    @Override
    public void close() {
        await(producer.close());
    }
}
