package dev.muster.simulation;

import io.vertx.core.Future;
import io.vertx.core.Promise;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Kafka as its clients see it, one partition a topic. Records are what the real codec makes of
 * messages, headers included, and are read back by it. A producer's records keep their order among
 * themselves, unless one is not taken; those of different producers do not.
 */
final class SimTransport {

    private static final class Topic {
        final List<ProducerRecord<String, byte[]>> records = new ArrayList<>();
        final List<SimConsumer> consumers = new ArrayList<>();
        long base;

        long end() {
            return base + records.size();
        }
    }

    private final World world;
    private final Map<String, Topic> topics = new TreeMap<>();
    private final Map<String, Long> arrivals = new TreeMap<>();

    SimTransport(World world) {
        this.world = world;
    }

    private Topic topic(String name) {
        return topics.computeIfAbsent(name, _ -> new Topic());
    }

    /** Completes when the record is taken. Fails with {@link Lost}. */
    Future<Void> send(SimProcess from, ProducerRecord<String, byte[]> record) {
        Promise<Void> answer = Promise.promise();
        if (!from.reach("before sending")) {
            return answer.future();
        }
        Clockwork clock = world.clock;
        int life = from.life();
        Fault.Sending fault = world.faults.sending(from);
        String way = from.name + ">" + record.topic();
        long arrival = Math.max(arrivals.getOrDefault(way, 0L), clock.now() + clock.between(1, 25));
        arrivals.put(way, arrival);
        clock.at(
                arrival,
                () -> {
                    boolean lost = world.faults.kafkaAway() || (fault != null && !fault.twice());
                    if (!lost) {
                        append(record);
                    }
                    if (fault != null && fault.twice()) {
                        append(record);
                    }
                    if (from.alive() && from.life() == life) {
                        from.later(
                                clock.between(1, 5),
                                () -> {
                                    if (lost) {
                                        answer.fail(new Lost("not taken", true));
                                    } else if (from.reach("after sending")) {
                                        answer.complete();
                                    }
                                });
                    }
                });
        return answer.future();
    }

    private void append(ProducerRecord<String, byte[]> record) {
        Topic topic = topic(record.topic());
        topic.records.add(record);
        topic.consumers.removeIf(each -> !each.lives());
        topic.consumers.forEach(SimConsumer::wake);
    }

    void subscribe(String topic, SimConsumer consumer) {
        topic(topic).consumers.add(consumer);
    }

    /** From an offset on; one outside of the topic means its beginning. */
    List<ConsumerRecord<String, byte[]>> read(String name, long offset, int atMost) {
        Topic topic = topic(name);
        List<ConsumerRecord<String, byte[]>> found = new ArrayList<>();
        if (world.faults.kafkaAway()) {
            return found;
        }
        long from = offset < topic.base || offset > topic.end() ? topic.base : offset;
        for (long at = from; at < Math.min(topic.end(), from + atMost); at++) {
            found.add(consumed(topic.records.get((int) (at - topic.base)), at));
        }
        return found;
    }

    private ConsumerRecord<String, byte[]> consumed(
            ProducerRecord<String, byte[]> record, long offset) {
        Long stamp = record.timestamp();
        return new ConsumerRecord<>(
                record.topic(),
                0,
                offset,
                stamp == null ? world.clock.now() : stamp,
                TimestampType.CREATE_TIME,
                -1,
                record.value().length,
                record.key(),
                record.value(),
                new RecordHeaders(record.headers()),
                Optional.empty());
    }

    long end(String name) {
        return topic(name).end();
    }

    Optional<ConsumerRecord<String, byte[]>> last(String name) {
        Topic topic = topic(name);
        return topic.records.isEmpty()
                ? Optional.empty()
                : Optional.of(consumed(topic.records.getLast(), topic.end() - 1));
    }

    void truncate(String name) {
        Topic topic = topic(name);
        topic.base = topic.end();
        topic.records.clear();
    }

    void repeat(String name, int count) {
        List<ProducerRecord<String, byte[]>> records = topic(name).records;
        int from = Math.max(0, records.size() - count);
        List.copyOf(records.subList(from, records.size())).forEach(this::append);
    }

    void recreate(String name) {
        Topic topic = topic(name);
        topic.base = 0;
        topic.records.clear();
    }
}
