package dev.muster.platform.kafka;

import dev.muster.domain.Event;
import dev.muster.domain.PoolId;
import dev.muster.platform.codec.Codec;
import dev.muster.platform.codec.Decoded;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.Malformed;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

/**
 * An event on its way: CloudEvents 1.0 in Kafka's binary mode, so that a consumer can skip it by
 * its headers without decoding it.
 *
 * @param seq of the event in its pool; (pool, seq) is its identity
 * @param atMillis time of its journal row
 * @param type simple name, {@code JobSubmitted}; on the wire {@code dev.muster.JobSubmitted}
 * @param job id of the job, empty when the event is not of one
 * @param project empty when the event is not of a job
 * @param node empty when the event is not of one
 */
public record EventRecord(
        PoolId pool,
        long seq,
        long atMillis,
        String type,
        String job,
        String project,
        String node,
        byte[] data) {

    private static final String TYPE_PREFIX = "dev.muster.";
    private static final String SPEC_VERSION = "1.0";

    public static EventRecord of(PoolId pool, long seq, long atMillis, EncodedEvent encoded) {
        String job = "";
        String project = "";
        String node = "";
        Event event = encoded.event();
        if (event instanceof Event.OfJob ofJob) {
            job = ofJob.job().toString();
            project = ofJob.project().value();
        } else if (event instanceof Event.OfNode ofNode) {
            node = ofNode.node().value();
        }
        return new EventRecord(
                pool, seq, atMillis, event.type(), job, project, node, encoded.data());
    }

    /**
     * @throws Malformed if the record lacks what every event has
     */
    public static EventRecord read(ConsumerRecord<String, byte[]> record) {
        String type = Headers.get(record, "ce_type");
        String pool = Headers.get(record, "ce_musterpool");
        byte[] data = record.value();
        if (!type.startsWith(TYPE_PREFIX)
                || data == null
                || !Headers.get(record, "ce_specversion").equals(SPEC_VERSION)) {
            throw new Malformed("an event record at offset " + record.offset());
        }
        String job = Headers.get(record, "ce_musterjob");
        String subject = Headers.get(record, "ce_subject");
        try {
            return new EventRecord(
                    new PoolId(pool),
                    Long.parseLong(Headers.get(record, "ce_musterseq")),
                    record.timestamp(),
                    type.substring(TYPE_PREFIX.length()),
                    job,
                    Headers.get(record, "ce_musterproject"),
                    job.isEmpty() ? subject : "",
                    data);
        } catch (IllegalArgumentException e) {
            throw new Malformed("an event record at offset " + record.offset(), e);
        }
    }

    /** Id of the CloudEvent: {@code <pool>-<seq>}. */
    public String id() {
        return pool + "-" + seq;
    }

    /** CloudEvents 1.0 in structured mode: JSON on one line. */
    public byte[] cloudEvent() {
        // names of pools, projects and nodes hold nothing that JSON escapes
        StringBuilder head = new StringBuilder(360);
        head.append("{\"specversion\":\"1.0\",\"id\":\"").append(id());
        head.append("\",\"type\":\"").append(TYPE_PREFIX).append(type);
        head.append("\",\"source\":\"/pools/").append(pool);
        head.append("\",\"time\":\"").append(Instant.ofEpochMilli(atMillis));
        if (!job.isEmpty()) {
            head.append("\",\"subject\":\"").append(job);
            head.append("\",\"musterjob\":\"").append(job);
            head.append("\",\"musterproject\":\"").append(project);
        }
        head.append("\",\"musterpool\":\"").append(pool);
        head.append("\",\"musterseq\":").append(seq);
        head.append(",\"datacontenttype\":\"application/json\",\"data\":");
        byte[] start = head.toString().getBytes(StandardCharsets.UTF_8);
        byte[] whole = Arrays.copyOf(start, start.length + data.length + 1);
        System.arraycopy(data, 0, whole, start.length, data.length);
        whole[whole.length - 1] = '}';
        return whole;
    }

    public Decoded<Event> decode() {
        return Codec.event(type, data);
    }

    public ProducerRecord<String, byte[]> toKafka(String topic, int partition) {
        ProducerRecord<String, byte[]> record =
                new ProducerRecord<>(topic, partition, atMillis, null, data);
        Headers.put(record, "ce_specversion", SPEC_VERSION);
        Headers.put(record, "ce_id", id());
        Headers.put(record, "ce_type", TYPE_PREFIX + type);
        Headers.put(record, "ce_source", "/pools/" + pool);
        Headers.put(record, "ce_time", Instant.ofEpochMilli(atMillis).toString());
        Headers.put(record, "ce_musterpool", pool.value());
        Headers.put(record, "ce_musterseq", Long.toString(seq));
        Headers.put(record, "content-type", "application/json");
        if (!job.isEmpty()) {
            Headers.put(record, "ce_subject", job);
            Headers.put(record, "ce_musterjob", job);
            Headers.put(record, "ce_musterproject", project);
        } else if (!node.isEmpty()) {
            Headers.put(record, "ce_subject", node);
        }
        return record;
    }
}
