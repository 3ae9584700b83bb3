package dev.muster.platform.kafka;

import static dev.muster.platform.config.PlatformSettings.KAFKA_PARTITIONS;
import static dev.muster.platform.config.PlatformSettings.KAFKA_PREFIX;

import dev.muster.platform.config.Settings;

import org.apache.kafka.common.TopicPartition;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Names of the topics. A pool's records are in the partition that is stored for it in every topic.
 *
 * @param prefix first part of each name: {@code muster}, or a test's own
 * @param partitions of each topic
 */
public record Topics(String prefix, int partitions) {

    public static Topics of(Settings settings) {
        return new Topics(settings.get(KAFKA_PREFIX), settings.get(KAFKA_PARTITIONS));
    }

    /** Submissions and intents, on lanes. */
    public String commands() {
        return prefix + ".commands";
    }

    /** Observations of executors, on lanes. */
    public String reports() {
        return prefix + ".reports";
    }

    /** Facts, from the journal, by seq. */
    public String events() {
        return prefix + ".events";
    }

    /** Packed batches of signals; short retention. */
    public String progress() {
        return prefix + ".progress";
    }

    public List<String> all() {
        return List.of(commands(), reports(), events(), progress());
    }

    /** Every partition of a topic. */
    public List<TopicPartition> partitionsOf(String topic) {
        return IntStream.range(0, partitions).mapToObj(p -> new TopicPartition(topic, p)).toList();
    }
}
