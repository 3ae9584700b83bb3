package dev.muster.gateway;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;

import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.JobId;
import dev.muster.domain.Level;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.WaitReason;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.codec.Json;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.kafka.KafkaAccess;
import dev.muster.platform.kafka.LaneRecord;
import dev.muster.testkit.PoisonRecords;
import dev.muster.testkit.TestDatabase;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * As much of a scheduler as a gateway meets: it takes lanes in by their positions, writes a real
 * journal and publishes from it. It decides nothing.
 */
final class TestScheduler implements AutoCloseable {

    /** A command as the journal took it. */
    record Taken(String lane, long n, String type, String job) {}

    private static final PoolId POOL = new PoolId("public");

    private final KafkaAccess kafka;
    private final TestDatabase database;
    private final KafkaProducer<String, byte[]> producer;
    private final Thread thread = Thread.ofPlatform().name("test-scheduler").unstarted(this::run);
    private final Map<String, Long> positions = new TreeMap<>();
    private final List<Taken> taken = new CopyOnWriteArrayList<>();
    private volatile boolean stopping;
    private long seq;

    TestScheduler(KafkaAccess kafka, TestDatabase database) throws SQLException {
        this.kafka = kafka;
        this.database = database;
        Map<String, Object> config = new HashMap<>(kafka.client());
        config.put("acks", "all");
        this.producer =
                new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer());
        execute(
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

    void start() {
        thread.start();
    }

    List<Taken> taken() {
        return List.copyOf(taken);
    }

    private void execute(String sql) throws SQLException {
        try (Connection jdbc = database.open();
                Statement statement = jdbc.createStatement()) {
            statement.execute(sql);
        }
    }

    private void run() {
        try (KafkaConsumer<String, byte[]> consumer = kafka.consumer()) {
            consumer.assign(kafka.topics().partitionsOf(kafka.topics().commands()));
            consumer.seekToBeginning(consumer.assignment());
            while (!stopping) {
                List<LaneRecord> batch = new ArrayList<>();
                for (ConsumerRecord<String, byte[]> each : consumer.poll(Duration.ofMillis(50))) {
                    LaneRecord record = LaneRecord.read(each);
                    long position = positions.getOrDefault(record.lane().value(), 0L);
                    if (record.n() == position + 1) {
                        positions.put(record.lane().value(), record.n());
                        batch.add(record);
                    }
                }
                if (!batch.isEmpty()) {
                    take(batch);
                }
            }
        } catch (SQLException | ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void take(List<LaneRecord> batch)
            throws SQLException, ExecutionException, InterruptedException {
        List<Event> events = new ArrayList<>();
        for (LaneRecord each : batch) {
            taken.add(new Taken(each.lane().value(), each.n(), each.type(), each.job()));
            switch ((Command) each.decode().orThrow()) {
                case Command.SubmitJob m -> {
                    events.add(
                            new Event.JobSubmitted(
                                    m.ask(), m.name(), m.specHash(), m.acceptedAtMillis()));
                    events.add(
                            new Event.JobQueued(
                                    m.ask().job(), m.ask().project(), WaitReason.AWAITS_CYCLE));
                }
                case Command.StopJob m -> events.add(answer(m));
                case Command.PreemptJob m -> events.add(answer(m));
                case Command.ReportIncident m ->
                        events.add(new Event.CommandRefused(m.commandId(), "not of this test"));
                case Command.ReportProgress m ->
                        events.add(new Event.CommandRefused(m.commandId(), "not of this test"));
                case Command.CordonNode m ->
                        events.add(
                                new Event.NodeCordoned(m.node(), m.commandId(), m.requestedBy()));
                case Command.UncordonNode m ->
                        events.add(
                                new Event.NodeUncordoned(m.node(), m.commandId(), m.requestedBy()));
                case Command.Unpublishable m ->
                        events.add(
                                new Event.JobQueued(m.job(), m.project(), WaitReason.AWAITS_CYCLE));
            }
        }
        append(events);
    }

    private static Event answer(Command.StopJob command) {
        return command.reason().equals("refuse me")
                ? new Event.CommandRefused(command.commandId(), "as was asked for")
                : new Event.JobStopped(
                        command.job(),
                        new ProjectId("default"),
                        0,
                        command.commandId(),
                        command.requestedBy(),
                        command.reason());
    }

    private static Event answer(Command.PreemptJob command) {
        return command.reason().equals("refuse me")
                ? new Event.CommandRefused(command.commandId(), "as was asked for")
                : new Event.JobPreempted(
                        command.job(),
                        new ProjectId("default"),
                        1,
                        command.commandId(),
                        command.requestedBy(),
                        command.reason());
    }

    /** Journals events as one row, then publishes them. */
    synchronized void append(List<Event> events)
            throws SQLException, ExecutionException, InterruptedException {
        long now = System.currentTimeMillis();
        List<EncodedEvent> encoded = events.stream().map(EncodedEvent::of).toList();
        byte[] body = JournalBody.encode(List.of(new Input.Tick(now)), encoded);
        try (Connection jdbc = database.open()) {
            jdbc.setAutoCommit(false);
            try (PreparedStatement head =
                            jdbc.prepareStatement(
                                    "UPDATE scheduler.pub_pool_head SET seq = ?, positions ="
                                            + " ?::jsonb");
                    PreparedStatement row =
                            jdbc.prepareStatement(
                                    "INSERT INTO scheduler.pub_journal VALUES ('public', ?, ?, ?,"
                                            + " ?)")) {
                head.setLong(1, seq + events.size());
                head.setString(2, Json.json().writeValueAsString(positions));
                head.executeUpdate();
                row.setLong(1, seq + 1);
                row.setLong(2, seq + events.size());
                row.setLong(3, now);
                row.setBytes(4, body);
                row.executeUpdate();
                jdbc.commit();
            } catch (JsonProcessingException e) {
                throw new IllegalStateException(e);
            }
        }
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (EncodedEvent each : encoded) {
            seq++;
            sent.add(
                    producer.send(
                            EventRecord.of(POOL, seq, now, each)
                                    .toKafka(kafka.topics().events(), 0)));
        }
        for (Future<RecordMetadata> each : sent) {
            each.get();
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

    /** Seq of the last event. */
    synchronized long seq() {
        return seq;
    }

    static Event notice(JobId job, int i) {
        return new Event.NoticeRecorded(
                job, new ProjectId("default"), 1, 0, Level.INFO, "notice " + i);
    }

    @Override
    public void close() {
        stopping = true;
        await().atMost(Duration.ofSeconds(10)).until(() -> !thread.isAlive());
        producer.close();
    }
}
