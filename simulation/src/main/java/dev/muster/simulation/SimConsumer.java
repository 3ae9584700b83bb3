package dev.muster.simulation;

import io.vertx.core.Future;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import java.util.List;
import java.util.function.Function;

/** A reader of a topic in one life of its process: a batch at a time, until it is taken. */
final class SimConsumer {

    private static final int BATCH = 50;
    private static final long POLL_MILLIS = 3_000;

    private final World world;
    private final SimProcess owner;
    private final int life;
    private final String topic;
    private final Function<List<ConsumerRecord<String, byte[]>>, Future<Void>> handler;
    private long offset;
    private boolean planned;
    private boolean busy;
    private final long timer;
    private boolean closed;

    SimConsumer(
            SimProcess owner,
            String topic,
            long offset,
            Function<List<ConsumerRecord<String, byte[]>>, Future<Void>> handler) {
        this.world = owner.world;
        this.owner = owner;
        this.life = owner.life();
        this.topic = topic;
        this.offset = offset;
        this.handler = handler;
        world.transport.subscribe(topic, this);
        this.timer = owner.every(POLL_MILLIS, this::wake);
        wake();
    }

    boolean lives() {
        return !closed && owner.alive() && owner.life() == life;
    }

    void close() {
        closed = true;
        owner.cancel(timer);
    }

    /** Something may be there. */
    void wake() {
        if (!planned && !busy && lives()) {
            planned = true;
            owner.later(world.clock.between(1, 20), this::poll);
        }
    }

    private void poll() {
        planned = false;
        if (busy || closed) {
            return;
        }
        List<ConsumerRecord<String, byte[]>> batch = world.transport.read(topic, offset, BATCH);
        if (batch.isEmpty()) {
            return;
        }
        busy = true;
        handler.apply(batch)
                .onComplete(_ -> {
                    offset = batch.getLast().offset() + 1;
                    busy = false;
                    wake();
                });
    }
}
