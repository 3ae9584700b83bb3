package dev.muster.platform.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.muster.domain.LaneId;
import dev.muster.domain.PoolId;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.SerialLoop;
import dev.muster.platform.sql.Database;
import dev.muster.testkit.TestDatabase;
import dev.muster.testkit.TestKafka;
import dev.muster.testkit.TestPostgres;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** A lane against a real Kafka, with a reader that journals its position as a scheduler does. */
class LaneIT {

    private static final PoolId POOL = new PoolId("public");
    private static final int ENTRIES = 5_000;

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicLong position = new AtomicLong();
    private final AtomicLong gaps = new AtomicLong();
    private volatile boolean deaf = true;

    @Test
    void deliversEveryEntryInOrderThoughAReaderLosesSome() {
        try (TestDatabase postgres = TestPostgres.shared().newDatabase()) {
            Map<String, String> overrides = new HashMap<>(postgres.settings());
            overrides.putAll(TestKafka.shared().settings());
            Settings settings =
                    Settings.load(Path.of("none"), Map.of(), overrides)
                            .with(PlatformSettings.KAFKA_PARTITIONS, 1)
                            .with(PlatformSettings.LANE_REPEAT_MILLIS, 200);
            Database database = Database.open(vertx, settings);
            join(
                    database.script(
                            """
                            CREATE SCHEMA scheduler;
                            CREATE TABLE scheduler.pub_pool_head (pool text, positions jsonb);
                            INSERT INTO scheduler.pub_pool_head VALUES ('public', '{}')\
                            """));
            deliver(settings, database);
            join(database.close());
        } finally {
            join(vertx.close());
        }
    }

    private void deliver(Settings settings, Database database) {
        KafkaAccess kafka = new KafkaAccess(settings);
        kafka.createTopics();
        LaneRoute route = LaneRoute.ofGateway("a", POOL, kafka.topics(), 0);
        RecordLoop reader =
                RecordLoop.start(
                        kafka,
                        new RecordLoop.Source(
                                "reader",
                                List.of(new TopicPartition(route.topic(), 0)),
                                new RecordLoop.Start.Beginning(),
                                500),
                        batch -> read(database, route.lane(), batch),
                        meters);
        RecordProducer producer = RecordProducer.open(vertx, kafka, "lane", meters);
        LaneSender.Means means =
                new LaneSender.Means(
                        SerialLoop.of(vertx),
                        producer,
                        JournalledPositions.in(database),
                        null,
                        settings,
                        meters);
        LaneSender lane = LaneSender.open(route, means, 0);
        for (int i = 1; i <= ENTRIES; i++) {
            Future<Long> given = lane.append(Submissions.of(i));
            if (i == ENTRIES / 2) {
                assertThat(join(given)).isEqualTo(i);
            }
        }
        await().atMost(60, SECONDS).until(() -> gaps.get() > 0);
        await().atMost(120, SECONDS).until(() -> lane.acknowledged() == ENTRIES);
        reader.stop();
        join(lane.close());
        join(producer.close());
    }

    /** Loses a stretch in the middle once, as a Kafka that lost data would. */
    private Future<Void> read(
            Database database, LaneId lane, List<ConsumerRecord<String, byte[]>> batch) {
        for (ConsumerRecord<String, byte[]> each : batch) {
            long n = LaneRecord.read(each).n();
            if (deaf && n > 1000 && n <= 1300) {
                deaf = n < 1300;
                continue;
            }
            if (n == position.get() + 1) {
                position.set(n);
            } else if (n > position.get()) {
                gaps.incrementAndGet();
            }
        }
        return database.query(
                        "UPDATE scheduler.pub_pool_head SET positions ="
                                + " jsonb_build_object($1::text, $2::bigint)",
                        Tuple.of(lane.value(), position.get()))
                .mapEmpty();
    }

    private static <T> T join(Future<T> future) {
        return future.toCompletionStage().toCompletableFuture().join();
    }
}
