package dev.muster.platform.kafka;

import static dev.muster.platform.config.PlatformSettings.KAFKA_BOOTSTRAP;
import static dev.muster.platform.config.PlatformSettings.KAFKA_PASSWORD;
import static dev.muster.platform.config.PlatformSettings.KAFKA_REPLICATION;
import static dev.muster.platform.config.PlatformSettings.KAFKA_RETENTION_HOURS;
import static dev.muster.platform.config.PlatformSettings.KAFKA_TLS;
import static dev.muster.platform.config.PlatformSettings.KAFKA_USER;

import dev.muster.platform.config.Settings;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * How Kafka is reached: client properties from the settings, and what is asked of it but rarely.
 */
public final class KafkaAccess {

    private static final long ASK_SECONDS = 30;
    private static final String MAX_RECORD_BYTES = Integer.toString(2 << 20);

    private final Settings settings;
    private final Topics topics;

    public KafkaAccess(Settings settings) {
        this.settings = settings;
        this.topics = Topics.of(settings);
    }

    public Topics topics() {
        return topics;
    }

    Settings settings() {
        return settings;
    }

    /** Bootstrap and security of any client. */
    public Map<String, Object> client() {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", String.join(",", settings.get(KAFKA_BOOTSTRAP)));
        boolean sasl = !settings.get(KAFKA_USER).isEmpty();
        boolean tls = settings.get(KAFKA_TLS);
        config.put(
                "security.protocol",
                sasl ? (tls ? "SASL_SSL" : "SASL_PLAINTEXT") : (tls ? "SSL" : "PLAINTEXT"));
        if (sasl) {
            config.put("sasl.mechanism", "SCRAM-SHA-256");
            config.put(
                    "sasl.jaas.config",
                    "org.apache.kafka.common.security.scram.ScramLoginModule required username=\""
                            + quoted(settings.get(KAFKA_USER))
                            + "\" password=\""
                            + quoted(settings.get(KAFKA_PASSWORD))
                            + "\";");
        }
        config.put("reconnect.backoff.ms", 50);
        config.put("reconnect.backoff.max.ms", 1000);
        return config;
    }

    private static String quoted(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"");
    }

    /** A consumer without a group: positions are ours. */
    public KafkaConsumer<String, byte[]> consumer() {
        Map<String, Object> config = client();
        config.put("enable.auto.commit", false);
        config.put("auto.offset.reset", "earliest");
        config.put("allow.auto.create.topics", false);
        config.put("default.api.timeout.ms", 5_000);
        config.put("request.timeout.ms", 5_000);
        config.put("fetch.max.wait.ms", 100);
        config.put("max.poll.records", 5000);
        config.put("max.partition.fetch.bytes", 4 << 20);
        return new KafkaConsumer<>(config, new StringDeserializer(), new ByteArrayDeserializer());
    }

    /**
     * Makes the topics that are missing and widens those with too few partitions. Blocks.
     *
     * @throws KafkaUnavailable if the cluster does not answer
     */
    public void createTopics() {
        try (Admin admin = Admin.create(client())) {
            for (String topic : topics.all()) {
                createTopic(admin, topic);
            }
            Map<String, TopicDescription> found = describe(admin);
            Map<String, NewPartitions> wider = new HashMap<>();
            found.forEach((topic, description) -> {
                if (description.partitions().size() < topics.partitions()) {
                    wider.put(topic, NewPartitions.increaseTo(topics.partitions()));
                }
            });
            await(admin.createPartitions(wider).all());
        }
    }

    /** A broker may not know yet what its controller has just made. */
    private Map<String, TopicDescription> describe(Admin admin) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(ASK_SECONDS);
        while (true) {
            try {
                return await(admin.describeTopics(topics.all()).allTopicNames());
            } catch (KafkaUnavailable e) {
                boolean soon = e.getCause() instanceof UnknownTopicOrPartitionException;
                if (!soon || System.nanoTime() - deadline > 0) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
    }

    private void createTopic(Admin admin, String topic) {
        NewTopic wanted =
                new NewTopic(
                        topic, topics.partitions(), settings.get(KAFKA_REPLICATION).shortValue());
        long hours = topic.equals(topics.progress()) ? 1 : settings.get(KAFKA_RETENTION_HOURS);
        wanted.configs(
                Map.of(
                        "retention.ms",
                        Long.toString(Duration.ofHours(hours).toMillis()),
                        "max.message.bytes",
                        MAX_RECORD_BYTES));
        try {
            await(admin.createTopics(List.of(wanted)).all());
        } catch (KafkaUnavailable e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }

    /**
     * The newest record of a partition, such as the last event that was published. Blocks.
     *
     * @throws KafkaUnavailable if the cluster does not answer
     */
    public Optional<ConsumerRecord<String, byte[]>> last(TopicPartition partition) {
        List<ConsumerRecord<String, byte[]>> newest = newest(partition, 1);
        return newest.isEmpty() ? Optional.empty() : Optional.of(newest.getLast());
    }

    /**
     * The newest records of a partition, in order. Blocks.
     *
     * @throws KafkaUnavailable if the cluster does not answer
     */
    public List<ConsumerRecord<String, byte[]>> newest(TopicPartition partition, int atMost) {
        try (KafkaConsumer<String, byte[]> consumer = consumer()) {
            Duration patience = Duration.ofSeconds(ASK_SECONDS);
            List<TopicPartition> one = List.of(partition);
            consumer.assign(one);
            long end = consumer.endOffsets(one, patience).getOrDefault(partition, 0L);
            long begin = consumer.beginningOffsets(one, patience).getOrDefault(partition, 0L);
            List<ConsumerRecord<String, byte[]>> found = new ArrayList<>();
            if (end <= begin) {
                return found;
            }
            consumer.seek(partition, Math.max(begin, end - atMost));
            long deadline = System.nanoTime() + patience.toNanos();
            while (System.nanoTime() < deadline) {
                ConsumerRecords<String, byte[]> records = consumer.poll(Duration.ofMillis(200));
                found.addAll(records.records(partition));
                if (!found.isEmpty() && found.getLast().offset() >= end - 1) {
                    return found;
                }
            }
            throw new KafkaUnavailable(
                    "Kafka did not return the last records of " + partition, null);
        } catch (org.apache.kafka.common.KafkaException e) {
            throw new KafkaUnavailable("Kafka did not tell the end of " + partition, e);
        }
    }

    private static <T> T await(org.apache.kafka.common.KafkaFuture<T> future) {
        try {
            return future.get(ASK_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new KafkaUnavailable("Kafka refused: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new KafkaUnavailable("Kafka did not answer within " + ASK_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaUnavailable("interrupted while Kafka was asked", e);
        }
    }
}
