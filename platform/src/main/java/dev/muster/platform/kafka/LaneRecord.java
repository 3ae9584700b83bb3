package dev.muster.platform.kafka;

import dev.muster.domain.Command;
import dev.muster.domain.Input;
import dev.muster.domain.JobId;
import dev.muster.domain.LaneId;
import dev.muster.domain.Message;
import dev.muster.domain.PoolId;
import dev.muster.domain.Report;
import dev.muster.platform.codec.Codec;
import dev.muster.platform.codec.Decoded;
import dev.muster.platform.codec.Malformed;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A command or report on its lane.
 *
 * @param n place on the lane, from 1 without gaps
 * @param type simple name of the message
 * @param job id of the job that it is about, or empty
 */
public record LaneRecord(PoolId pool, LaneId lane, long n, String type, String job, byte[] data) {

    public static LaneRecord of(PoolId pool, LaneId lane, long n, Message message) {
        return of(pool, lane, n, message, Codec.encode(message));
    }

    /** With bytes of its own, such as a submission's with its specification. */
    public static LaneRecord of(PoolId pool, LaneId lane, long n, Message message, byte[] data) {
        return new LaneRecord(pool, lane, n, Codec.type(message), jobOf(message), data);
    }

    /**
     * @throws Malformed if the record lacks what every lane record has
     */
    public static LaneRecord read(ConsumerRecord<String, byte[]> record) {
        byte[] data = record.value();
        if (data == null) {
            throw new Malformed("a lane record at offset " + record.offset());
        }
        try {
            return new LaneRecord(
                    new PoolId(Headers.get(record, "pool")),
                    new LaneId(Headers.get(record, "lane")),
                    Long.parseLong(Headers.get(record, "n")),
                    Headers.get(record, "ce_type"),
                    Headers.get(record, "job"),
                    data);
        } catch (IllegalArgumentException e) {
            throw new Malformed("a lane record at offset " + record.offset(), e);
        }
    }

    public Decoded<Message> decode() {
        return Codec.message(type, data);
    }

    /**
     * As the core takes it.
     *
     * @throws dev.muster.platform.codec.UnknownType if this version does not know the type
     */
    public Input.Delivered delivered() {
        return new Input.Delivered(lane, n, decode().orThrow());
    }

    public ProducerRecord<String, byte[]> toKafka(String topic, int partition) {
        ProducerRecord<String, byte[]> record = new ProducerRecord<>(topic, partition, null, data);
        Headers.put(record, "ce_type", type);
        Headers.put(record, "lane", lane.value());
        Headers.put(record, "n", Long.toString(n));
        Headers.put(record, "pool", pool.value());
        if (!job.isEmpty()) {
            Headers.put(record, "job", job);
        }
        return record;
    }

    private static String jobOf(Message message) {
        JobId job =
                switch (message) {
                    case Command.SubmitJob m -> m.ask().job();
                    case Command.StopJob m -> m.job();
                    case Command.PreemptJob m -> m.job();
                    case Command.ReportIncident m -> m.job();
                    case Command.ReportProgress m -> m.job();
                    case Command.Unpublishable m -> m.job();
                    case Report.InstancePrepared m -> m.instance().job();
                    case Report.InstanceStarted m -> m.instance().job();
                    case Report.InstanceExited m -> m.instance().job();
                    case Report.InstanceFailed m -> m.instance().job();
                    case Report.InstanceGone m -> m.instance().job();
                    case Report.EvidenceKept m -> m.instance().job();
                    case Report.NoticeRaised m -> m.instance().job();
                    case Command.CordonNode _,
                            Command.UncordonNode _,
                            Report.ShardTaken _,
                            Report.NodeObserved _ ->
                            null;
                };
        return job == null ? "" : job.toString();
    }
}
