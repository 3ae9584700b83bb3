package dev.muster.platform.kafka;

import io.vertx.core.Future;

import org.apache.kafka.clients.producer.ProducerRecord;

/** Where records go out, a bounded number at a time. */
public interface RecordSink {

    /** Never blocks; completes once the record is acknowledged. */
    Future<?> send(ProducerRecord<String, byte[]> record);

    /** How many more may be sent now. */
    int room();
}
