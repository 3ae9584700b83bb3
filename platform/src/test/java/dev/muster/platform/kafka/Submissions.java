package dev.muster.platform.kafka;

import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.JobId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.QueueId;
import dev.muster.domain.Resources;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Submissions for tests, and records as a consumer would see them. */
final class Submissions {

    private Submissions() {}

    static Command.SubmitJob of(long number) {
        Ask ask =
                new Ask(
                        new JobId(1, number),
                        new ProjectId("vision"),
                        new QueueId("default"),
                        2,
                        1,
                        "",
                        new Resources(1000, 1024, 0),
                        0);
        return new Command.SubmitJob(ask, "job", "ab", 1);
    }

    static LaneRecord read(ProducerRecord<String, byte[]> sent) {
        return LaneRecord.read(received(sent));
    }

    static ConsumerRecord<String, byte[]> received(ProducerRecord<String, byte[]> sent) {
        long at = sent.timestamp() == null ? 0 : sent.timestamp();
        return new ConsumerRecord<>(
                sent.topic(),
                sent.partition(),
                0,
                at,
                TimestampType.CREATE_TIME,
                0,
                sent.value().length,
                null,
                sent.value(),
                new RecordHeaders(sent.headers().toArray()),
                java.util.Optional.empty());
    }
}
