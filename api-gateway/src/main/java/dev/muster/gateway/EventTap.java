package dev.muster.gateway;

import dev.muster.platform.journal.StreamSieve;
import dev.muster.platform.kafka.RecordLoop;
import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads the events of all pools as they come, without a group, since every gateway wants all of
 * them; decodes them on its own thread and hands them to the gateway's context.
 */
final class EventTap {

    private static final String NAME = "gateway-events";
    private static final int BATCH = 2_000;

    /** Who watches a job sees it within a blink. */
    private static final Duration PACE = Duration.ofMillis(10);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ServiceContext service;
    private final Context context;
    private final Consumer<List<StreamEvent>> sink;
    private final StreamSieve<StreamEvent> sieve;
    private @Nullable RecordLoop loop;

    EventTap(ServiceContext service, Context context, Consumer<List<StreamEvent>> sink) {
        this.service = service;
        this.context = context;
        this.sink = sink;
        this.sieve = new StreamSieve<>(service, NAME, StreamEvent::of);
    }

    /** Completes once everything that is published from now on will be seen. */
    Future<Void> start() {
        String topic = service.kafka().topics().events();
        RecordLoop.Source source =
                new RecordLoop.Source(
                                NAME,
                                service.kafka().topics().partitionsOf(topic),
                                new RecordLoop.Start.End(),
                                BATCH)
                        .every(PACE);
        RecordLoop started =
                RecordLoop.start(service.kafka(), source, this::handle, service.meters());
        loop = started;
        return service.vertx()
                .executeBlocking(
                        () -> {
                            if (!started.awaitPositioned(PATIENCE)) {
                                throw new IllegalStateException(
                                        "Kafka does not tell the end of " + topic);
                            }
                            return null;
                        },
                        false);
    }

    private Future<Void> handle(List<ConsumerRecord<String, byte[]>> batch) {
        return sieve.sift(batch).compose(this::hand);
    }

    private Future<Void> hand(List<StreamEvent> events) {
        Promise<Void> taken = Promise.promise();
        context.runOnContext(_ -> {
            sink.accept(events);
            taken.complete();
        });
        return taken.future();
    }

    Future<Void> stop() {
        RecordLoop running = loop;
        if (running == null) {
            return Future.succeededFuture();
        }
        return service.vertx()
                .executeBlocking(
                        () -> {
                            running.stop();
                            return null;
                        },
                        false);
    }
}
