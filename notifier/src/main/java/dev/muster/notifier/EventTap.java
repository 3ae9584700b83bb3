package dev.muster.notifier;

import dev.muster.platform.journal.StreamSieve;
import dev.muster.platform.kafka.EventRecord;
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
 * Reads the events of all pools as they come, without a group; what came before is read from the
 * journal. Hands them to the notifier's context.
 */
final class EventTap {

    private static final String NAME = "notifier-events";
    private static final int BATCH = 2_000;

    /** Small beside what a delivery takes. */
    private static final Duration PACE = Duration.ofMillis(25);

    private final ServiceContext service;
    private final Context context;
    private final Consumer<List<EventRecord>> sink;
    private final StreamSieve<EventRecord> sieve;
    private @Nullable RecordLoop loop;

    EventTap(ServiceContext service, Context context, Consumer<List<EventRecord>> sink) {
        this.service = service;
        this.context = context;
        this.sink = sink;
        this.sieve = new StreamSieve<>(service, NAME, (record, _) -> record);
    }

    void start() {
        RecordLoop.Source source =
                new RecordLoop.Source(
                                NAME,
                                service.kafka()
                                        .topics()
                                        .partitionsOf(service.kafka().topics().events()),
                                new RecordLoop.Start.End(),
                                BATCH)
                        .every(PACE);
        loop = RecordLoop.start(service.kafka(), source, this::handle, service.meters());
    }

    private Future<Void> handle(List<ConsumerRecord<String, byte[]>> batch) {
        return sieve.sift(batch).compose(this::hand);
    }

    private Future<Void> hand(List<EventRecord> events) {
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
