package dev.muster.platform.kafka;

import static dev.muster.platform.config.PlatformSettings.KAFKA_IN_FLIGHT;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.kafka.client.producer.KafkaWriteStream;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Records out: idempotent, acknowledged by all replicas, and within a partition in order of sending
 * as long as none fails. The number in flight is bounded; beyond it a send fails at once.
 */
public final class RecordProducer implements RecordSink {

    /** The bound on records in flight is reached: try again when some are acknowledged. */
    public static final class TooManyInFlight extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooManyInFlight(int bound) {
            super(bound + " records await Kafka's acknowledgement");
        }
    }

    private final KafkaWriteStream<String, byte[]> stream;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final int bound;
    private final Counter failures;

    /** With a stream of any kind, such as one on a producer that a test rules. */
    RecordProducer(
            KafkaWriteStream<String, byte[]> stream, int bound, String name, MeterRegistry meters) {
        // each send tells its own failure; without a handler the stream logs it as well
        this.stream = stream.exceptionHandler(_ -> {});
        this.bound = bound;
        Gauge.builder("muster.producer.inflight", inFlight, AtomicInteger::get)
                .description("Records that await Kafka's acknowledgement")
                .tag("producer", name)
                .register(meters);
        this.failures =
                Counter.builder("muster.producer.failures")
                        .description("Records that Kafka did not take")
                        .tag("producer", name)
                        .register(meters);
    }

    public static RecordProducer open(
            Vertx vertx, KafkaAccess kafka, String name, MeterRegistry meters) {
        Map<String, Object> config = kafka.client();
        config.put("client.id", name);
        config.put("acks", "all");
        config.put("enable.idempotence", true);
        config.put("linger.ms", 2);
        config.put("batch.size", 256 << 10);
        config.put("buffer.memory", 64L << 20);
        config.put("max.request.size", 2 << 20);
        config.put("request.timeout.ms", 10_000);
        config.put("delivery.timeout.ms", 30_000);
        config.put("max.block.ms", 10_000);
        KafkaWriteStream<String, byte[]> stream =
                KafkaWriteStream.create(
                        vertx, config, new StringSerializer(), new ByteArraySerializer());
        return new RecordProducer(stream, kafka.settings().get(KAFKA_IN_FLIGHT), name, meters);
    }

    /** Never blocks. Fails with Kafka's exception or {@link TooManyInFlight}. */
    @Override
    public Future<RecordMetadata> send(ProducerRecord<String, byte[]> record) {
        if (inFlight.incrementAndGet() > bound) {
            inFlight.decrementAndGet();
            return Future.failedFuture(new TooManyInFlight(bound));
        }
        return stream.send(record)
                .onComplete(result -> {
                    inFlight.decrementAndGet();
                    if (result.failed()) {
                        failures.increment();
                    }
                });
    }

    @Override
    public int room() {
        return Math.max(0, bound - inFlight.get());
    }

    /** Whether Kafka will never take this record, however often it is sent. */
    public static boolean refusedForGood(Throwable cause) {
        return cause instanceof RecordTooLargeException
                || cause instanceof SerializationException
                || cause instanceof InvalidTopicException;
    }

    public Future<Void> close() {
        return stream.close(5_000);
    }
}
