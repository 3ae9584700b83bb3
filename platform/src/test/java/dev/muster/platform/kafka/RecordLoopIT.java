package dev.muster.platform.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.muster.embedded.EmbeddedKafka;
import dev.muster.embedded.KafkaConnection;
import dev.muster.embedded.KafkaSettings;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.kafka.RecordLoop.Start;
import dev.muster.testkit.TestKafka;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

class RecordLoopIT {

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<Integer> taken = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        join(vertx.close());
    }

    private static KafkaAccess shared() {
        Settings settings =
                Settings.load(Path.of("none"), Map.of(), TestKafka.shared().settings())
                        .with(PlatformSettings.KAFKA_PARTITIONS, 3);
        KafkaAccess kafka = new KafkaAccess(settings);
        kafka.createTopics();
        kafka.createTopics(); // and again, as a second process does
        return kafka;
    }

    @Test
    void takesRecordsInOrderInBoundedBatchesAndRepeatsWhatAHandlerFailed() {
        KafkaAccess kafka = shared();
        TopicPartition partition = new TopicPartition(kafka.topics().events(), 1);
        RecordProducer producer = send(kafka, partition, 0, 100);
        AtomicInteger trouble = new AtomicInteger(2);
        RecordLoop loop =
                start(
                        kafka,
                        partition,
                        new Start.Beginning(),
                        batch -> {
                            assertThat(batch).hasSizeLessThanOrEqualTo(7);
                            if (taken.size() == 49 && trouble.getAndDecrement() > 0) {
                                throw new IllegalStateException("not now");
                            }
                            return take(batch);
                        });
        awaitTaken(0, 100);
        send(kafka, partition, 100, 103);
        awaitTaken(0, 103);
        assertThat(meters.find("muster.records.lag").gauge()).isNotNull();
        loop.stop();
        assertThat(meters.find("muster.records.lag").gauge()).isNull();
        assertThat(meters.get("muster.records.repeats").counter().count()).isEqualTo(2);
        assertThat(number(kafka.last(partition).orElseThrow())).isEqualTo(102);
        assertThat(kafka.last(new TopicPartition(kafka.topics().events(), 0))).isEmpty();
        join(producer.close());
    }

    @Test
    void fetchesNothingMoreWhileABatchIsInHand() {
        KafkaAccess kafka = shared();
        TopicPartition partition = new TopicPartition(kafka.topics().events(), 0);
        send(kafka, partition, 0, 50);
        List<Promise<Void>> open = new CopyOnWriteArrayList<>();
        RecordLoop loop =
                start(
                        kafka,
                        partition,
                        new Start.Beginning(),
                        batch -> {
                            Future<Void> _ = take(batch);
                            Promise<Void> promise = Promise.promise();
                            open.add(promise);
                            return promise.future();
                        });
        await().until(() -> open.size() == 1);
        assertThat(taken).hasSize(7);
        open.getFirst().complete();
        await().until(() -> open.size() == 2);
        assertThat(taken).hasSize(14);
        loop.stop();
    }

    @Test
    void startsWhereItIsTold() throws InterruptedException {
        KafkaAccess kafka = shared();
        TopicPartition partition = new TopicPartition(kafka.topics().reports(), 2);
        send(kafka, partition, 0, 10);
        takes(start(kafka, partition, new Start.Offsets(Map.of(partition, 6L)), this::take), 6, 10);
        Start since = new Start.Since(Instant.ofEpochMilli(1004));
        takes(start(kafka, partition, since, this::take), 4, 10);
        RecordLoop end = start(kafka, partition, new Start.End(), this::take);
        assertThat(end.awaitPositioned(Duration.ofSeconds(30))).isTrue();
        send(kafka, partition, 10, 12);
        takes(end, 10, 12);
    }

    @Test
    void waitsABrokersOutageOut(@TempDir Path dir) {
        EmbeddedKafka broker = EmbeddedKafka.start(dir, KafkaSettings.defaults());
        KafkaConnection at = broker.connection();
        Settings settings =
                Settings.load(
                                Path.of("none"),
                                Map.of(),
                                Map.of("kafka.user", at.user(), "kafka.password", at.password()))
                        .with(PlatformSettings.KAFKA_BOOTSTRAP, List.of(at.bootstrapServers()))
                        .with(PlatformSettings.KAFKA_PARTITIONS, 1);
        KafkaAccess kafka = new KafkaAccess(settings);
        kafka.createTopics();
        TopicPartition partition = new TopicPartition(kafka.topics().events(), 0);
        RecordProducer producer = send(kafka, partition, 0, 5);
        RecordLoop loop = start(kafka, partition, new Start.Beginning(), this::take);
        awaitTaken(0, 5);
        broker.close();
        Future<?> during = producer.send(record(partition, 5));
        try (EmbeddedKafka again = EmbeddedKafka.start(dir, KafkaSettings.defaults())) {
            assertThat(again.connection().port()).isEqualTo(at.port());
            join(during);
            awaitTaken(0, 6);
            loop.stop();
            join(producer.close());
        }
    }

    private void takes(RecordLoop loop, int from, int to) {
        awaitTaken(from, to);
        loop.stop();
        taken.clear();
    }

    private void awaitTaken(int from, int to) {
        List<Integer> expected = IntStream.range(from, to).boxed().toList();
        await().atMost(60, SECONDS).until(() -> taken.size() >= expected.size());
        assertThat(taken).isEqualTo(expected);
    }

    private Future<Void> take(List<ConsumerRecord<String, byte[]>> batch) {
        batch.forEach(each -> taken.add(number(each)));
        return Future.succeededFuture();
    }

    private RecordLoop start(
            KafkaAccess kafka, TopicPartition partition, Start start, RecordLoop.Handler handler) {
        RecordLoop.Source source = new RecordLoop.Source("test-loop", List.of(partition), start, 7);
        return RecordLoop.start(kafka, source, handler, meters);
    }

    private RecordProducer send(KafkaAccess kafka, TopicPartition partition, int from, int to) {
        RecordProducer producer = RecordProducer.open(vertx, kafka, "test", meters);
        Future<?> last = Future.succeededFuture();
        for (int i = from; i < to; i++) {
            last = producer.send(record(partition, i));
        }
        join(last);
        return producer;
    }

    private static ProducerRecord<String, byte[]> record(TopicPartition partition, int number) {
        return new ProducerRecord<>(
                partition.topic(),
                partition.partition(),
                1000L + number,
                null,
                new byte[] {(byte) number});
    }

    private static int number(ConsumerRecord<String, byte[]> record) {
        return record.value()[0];
    }

    private static <T> T join(Future<T> future) {
        return future.toCompletionStage().toCompletableFuture().join();
    }
}
