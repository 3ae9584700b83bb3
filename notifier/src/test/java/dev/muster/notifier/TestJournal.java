package dev.muster.notifier;

import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.JobId;
import dev.muster.domain.Level;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.kafka.KafkaAccess;
import dev.muster.testkit.PoisonRecords;
import dev.muster.testkit.TestDatabase;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** As much of a scheduler as a notifier meets: a journal, and the events published from it. */
final class TestJournal implements AutoCloseable {

    static final PoolId POOL = new PoolId("public");
    static final ProjectId PROJECT = new ProjectId("default");

    private final KafkaAccess kafka;
    private final TestDatabase database;
    private final KafkaProducer<String, byte[]> producer;
    private long seq;

    TestJournal(KafkaAccess kafka, TestDatabase database) throws SQLException {
        this.kafka = kafka;
        this.database = database;
        Map<String, Object> config = new HashMap<>(kafka.client());
        config.put("acks", "all");
        this.producer =
                new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer());
        try (Connection jdbc = database.open();
                Statement statement = jdbc.createStatement()) {
            statement.execute(
                    """
                    CREATE SCHEMA scheduler;
                    CREATE TABLE scheduler.pub_pool_head (
                        pool text PRIMARY KEY, seq bigint NOT NULL, positions jsonb NOT NULL);
                    INSERT INTO scheduler.pub_pool_head VALUES ('public', 0, '{}');
                    CREATE TABLE scheduler.pub_journal (
                        pool text, first_seq bigint, last_seq bigint, at_ms bigint, body bytea);
                    CREATE TABLE scheduler.pub_snapshot (pool text, seq bigint, body bytea);
                    CREATE INDEX ON scheduler.pub_journal (pool, last_seq)\
                    """);
        }
    }

    /** Journals events as one row, then publishes them. */
    synchronized void append(List<Event> events) {
        long now = System.currentTimeMillis();
        List<EncodedEvent> encoded = events.stream().map(EncodedEvent::of).toList();
        try (Connection jdbc = database.open()) {
            jdbc.setAutoCommit(false);
            try (PreparedStatement head =
                            jdbc.prepareStatement("UPDATE scheduler.pub_pool_head SET seq = ?");
                    PreparedStatement row =
                            jdbc.prepareStatement(
                                    "INSERT INTO scheduler.pub_journal VALUES ('public', ?, ?, ?,"
                                            + " ?)")) {
                head.setLong(1, seq + events.size());
                head.executeUpdate();
                row.setLong(1, seq + 1);
                row.setLong(2, seq + events.size());
                row.setLong(3, now);
                row.setBytes(4, JournalBody.encode(List.of(new Input.Tick(now)), encoded));
                row.executeUpdate();
                jdbc.commit();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (EncodedEvent each : encoded) {
            seq++;
            sent.add(
                    producer.send(
                            EventRecord.of(POOL, seq, now, each)
                                    .toKafka(kafka.topics().events(), 0)));
        }
        try {
            for (Future<RecordMetadata> each : sent) {
                each.get();
            }
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Every kind of record that is no event, each like the next one that will come. */
    synchronized void poison(Event like) throws ExecutionException, InterruptedException {
        EventRecord next =
                EventRecord.of(POOL, seq + 1, System.currentTimeMillis(), EncodedEvent.of(like));
        for (ProducerRecord<String, byte[]> each :
                PoisonRecords.of(next.toKafka(kafka.topics().events(), 0))) {
            producer.send(each).get();
        }
    }

    /** Some events of a job, numbered in their messages. */
    static List<Event> notices(JobId job, int from, int count) {
        List<Event> events = new ArrayList<>();
        for (int i = from; i < from + count; i++) {
            events.add(new Event.NoticeRecorded(job, PROJECT, 1, 0, Level.INFO, "notice " + i));
        }
        return events;
    }

    @Override
    public void close() {
        producer.close();
    }
}
