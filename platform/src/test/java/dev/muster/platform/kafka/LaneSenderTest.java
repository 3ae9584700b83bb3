package dev.muster.platform.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.muster.domain.Command;
import dev.muster.domain.LaneId;
import dev.muster.domain.Message;
import dev.muster.domain.NodeId;
import dev.muster.domain.PoolId;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.SerialLoop;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.kafka.client.producer.KafkaWriteStream;

import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

class LaneSenderTest {

    private static final LaneRoute ROUTE =
            new LaneRoute(new LaneId("gateway/a/public"), new PoolId("public"), "t.commands", 0);

    private final Vertx vertx = Vertx.vertx();
    private final AtomicLong position = new AtomicLong();
    private final List<LaneEntry> table = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private MockProducer<String, byte[]> kafka = producer(true);
    private int repeatMillis = 100;

    @AfterEach
    void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private static MockProducer<String, byte[]> producer(boolean autoComplete) {
        return new MockProducer<>(
                autoComplete,
                new RoundRobinPartitioner(),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    @Test
    void publishesInOrderOnceWhileTheJournalFollows() {
        repeatMillis = 2000;
        LaneSender lane = open(false, 100);
        for (int i = 1; i <= 20; i++) {
            lane.publish(List.of(entry(i)));
        }
        awaitSent(numbers(1, 20));
        position.set(20);
        await().until(() -> lane.acknowledged() == 20);
        assertThat(sent()).isEqualTo(numbers(1, 20));
        ProducerRecord<String, byte[]> first = kafka.history().getFirst();
        assertThat(new String(first.headers().lastHeader("lane").value(), StandardCharsets.UTF_8))
                .isEqualTo("gateway/a/public");
        assertThat(first.partition()).isZero();
    }

    @Test
    void repeatsFromThePositionOnWhenTheJournalStands() {
        LaneSender lane = open(false, 100);
        for (int i = 1; i <= 5; i++) {
            lane.publish(List.of(entry(i)));
        }
        awaitSent(numbers(1, 5));
        position.set(2);
        // a whole repeat of 1 to 5 may come before the position is seen, but then 3 follows a 5
        await().until(() -> Collections.indexOfSubList(sent(), List.of(5L, 3L, 4L, 5L)) >= 0);
        position.set(5);
        await().until(() -> lane.acknowledged() == 5);
    }

    @Test
    void healsAGapWhileNewEntriesKeepComing() {
        LaneSender lane = open(false, 10_000);
        lane.publish(List.of(entry(1)));
        AtomicLong next = new AtomicLong(2);
        long timer =
                vertx.setPeriodic(5, _ -> lane.publish(List.of(entry(next.getAndIncrement()))));
        await().until(() -> sent().stream().filter(n -> n == 1).count() >= 2);
        vertx.cancelTimer(timer);
    }

    @Test
    void readsBackWhatAnEarlierProcessLeft() {
        position.set(3);
        LongStream.rangeClosed(1, 10).forEach(n -> table.add(entry(n)));
        LaneSender lane = open(true, 100);
        awaitSent(numbers(4, 10));
        lane.publish(List.of(entry(11)));
        awaitSent(numbers(4, 11));
        assertThat(lane.ready().succeeded()).isTrue();
    }

    @Test
    void goesOnBeyondItsWindowFromTheTable() {
        LaneSender lane = open(true, 16);
        for (int i = 1; i <= 100; i++) {
            synchronized (table) {
                table.add(entry(i));
            }
            lane.publish(List.of(entry(i)));
        }
        awaitSent(numbers(1, 16));
        for (long n = 16; n <= 100; n += 4) {
            position.set(n);
            long at = n;
            await().until(() -> lane.acknowledged() >= at);
        }
        await().until(() -> sent().contains(100L));
        assertThat(sent().stream().distinct()).isEqualTo(numbers(1, 100));
    }

    @Test
    void refusesMoreThanItsWindowWithoutATable() {
        LaneSender lane = open(false, 16);
        for (int i = 1; i <= 16; i++) {
            assertThat(append(lane).result()).isEqualTo(i);
        }
        assertThat(append(lane).failed()).isTrue();
        position.set(4);
        await().until(() -> append(lane).succeeded());
        awaitSent(numbers(1, 17));
    }

    @Test
    void sendsAgainWhatKafkaDidNotTakeInTime() {
        kafka = producer(false);
        repeatMillis = 2000;
        LaneSender lane = open(false, 100);
        lane.publish(List.of(entry(1), entry(2)));
        await().until(() -> sent().size() == 2);
        kafka.errorNext(new TimeoutException("no broker"));
        kafka.completeNext();
        await().until(() -> sent().size() >= 4);
        assertThat(sent().subList(0, 4)).containsExactly(1L, 2L, 1L, 2L);
    }

    @Test
    void replacesASubmissionThatKafkaRefusesForGood() {
        kafka = producer(false);
        repeatMillis = 2000;
        LaneSender lane = open(false, 100);
        Command.SubmitJob submit = Submissions.of(7);
        lane.publish(List.of(LaneEntry.of(1, submit), entry(2)));
        await().until(() -> sent().size() == 2);
        kafka.errorNext(new RecordTooLargeException("2 MB"));
        await().until(() -> sent().size() >= 4);
        LaneRecord again = Submissions.read(kafka.history().get(2));
        assertThat(again.n()).isEqualTo(1);
        assertThat(again.decode().orThrow())
                .isInstanceOfSatisfying(
                        Command.Unpublishable.class,
                        it -> assertThat(it.job()).isEqualTo(submit.ask().job()));
    }

    @Test
    void refusesToOpenBehindItsOwnJournal() {
        position.set(9);
        LaneSender lane = open(false, 100);
        await().until(() -> lane.ready().failed());
        assertThat(lane.ready().cause()).hasMessageContaining("journalled up to 9");
        lane.publish(List.of(entry(1)));
        assertThat(sent()).isEmpty();
    }

    private LaneSender open(boolean durable, int window) {
        Settings settings =
                Settings.defaults()
                        .with(PlatformSettings.LANE_WINDOW, window)
                        .with(PlatformSettings.LANE_REPEAT_MILLIS, repeatMillis);
        RecordProducer producer =
                new RecordProducer(KafkaWriteStream.create(vertx, kafka), 1000, "test", meters);
        LaneRefill refill = durable ? this::read : null;
        LaneSender.Means means =
                new LaneSender.Means(
                        SerialLoop.of(vertx),
                        producer,
                        (_, _) -> Future.succeededFuture(position.get()),
                        refill,
                        settings,
                        meters);
        long last = table.isEmpty() ? 0 : table.getLast().n();
        return LaneSender.open(ROUTE, means, last);
    }

    private Future<List<LaneEntry>> read(long from, int atMost) {
        synchronized (table) {
            return Future.succeededFuture(
                    table.stream().filter(e -> e.n() >= from).limit(atMost).toList());
        }
    }

    private static Future<Long> append(LaneSender lane) {
        Future<Long> given = lane.append(message(1));
        await().until(given::isComplete);
        return given;
    }

    private static LaneEntry entry(long n) {
        return LaneEntry.of(n, message(n));
    }

    private static Message message(long n) {
        return new Command.CordonNode("c-" + n, new NodeId("node-" + n), "ops");
    }

    private List<Long> sent() {
        return kafka.history().stream().map(r -> Submissions.read(r).n()).toList();
    }

    private void awaitSent(List<Long> numbers) {
        await().atMost(10, SECONDS).until(() -> sent().containsAll(numbers));
        assertThat(sent().stream().distinct().limit(numbers.size())).isEqualTo(numbers);
    }

    private static List<Long> numbers(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }
}
