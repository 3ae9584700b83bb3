package dev.muster.testkit;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** Topics as they were at one time, to be brought back as from an older backup. */
public final class OlderKafka {

    private static final Duration POLL = Duration.ofMillis(200);

    private final Map<String, Object> client;
    private final Map<String, Integer> partitions;
    private final List<ConsumerRecord<byte[], byte[]>> records;

    private OlderKafka(
            Map<String, Object> client,
            Map<String, Integer> partitions,
            List<ConsumerRecord<byte[], byte[]>> records) {
        this.client = client;
        this.partitions = partitions;
        this.records = records;
    }

    /** Reads all that the topics hold now. */
    public static OlderKafka of(Map<String, Object> client, List<String> topics)
            throws InterruptedException, ExecutionException {
        Map<String, Integer> partitions = new HashMap<>();
        try (Admin admin = Admin.create(client)) {
            for (TopicDescription each :
                    admin.describeTopics(topics).allTopicNames().get().values()) {
                partitions.put(each.name(), each.partitions().size());
            }
        }
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        client, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> all = new ArrayList<>();
            partitions.forEach((topic, count) -> {
                for (int i = 0; i < count; i++) {
                    all.add(new TopicPartition(topic, i));
                }
            });
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            while (ends.entrySet().stream()
                    .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(POLL).forEach(records::add);
            }
        }
        return new OlderKafka(client, partitions, records);
    }

    /** Deletes the topics, makes them anew and writes what they held. */
    public void restore() throws InterruptedException, ExecutionException {
        try (Admin admin = Admin.create(client)) {
            admin.deleteTopics(partitions.keySet()).all().get();
            List<NewTopic> topics = new ArrayList<>();
            partitions.forEach((topic, count) -> topics.add(new NewTopic(topic, count, (short) 1)));
            admin.createTopics(topics).all().get();
        }
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(client, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (ConsumerRecord<byte[], byte[]> each : records) {
                var _ =
                        producer.send(
                                new ProducerRecord<>(
                                        each.topic(),
                                        each.partition(),
                                        each.timestamp(),
                                        each.key(),
                                        each.value(),
                                        each.headers()));
            }
            producer.flush();
        }
    }
}
