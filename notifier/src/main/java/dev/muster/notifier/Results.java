package dev.muster.notifier;

import dev.muster.platform.run.Failpoints;

import io.vertx.core.Future;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Results on their way to the table: many in one statement, one statement at a time, again until it
 * has succeeded. On one context.
 */
final class Results {

    private static final Logger LOG = LoggerFactory.getLogger(Results.class);
    private static final int MAX_ROWS = 4_000;

    /**
     * What is written of a delivery.
     *
     * @param status of the last answer
     * @param endedMillis 0 while it is pending
     */
    record Result(
            Delivery.State state,
            int attempts,
            int status,
            long dueMillis,
            long endedMillis,
            String error) {}

    private final MailboxStore store;

    /** A later result of a delivery takes the place of one that was not sent yet. */
    private Map<Delivery, Result> waiting = new LinkedHashMap<>();

    private boolean busy;
    private boolean troubled;

    Results(MailboxStore store) {
        this.store = store;
    }

    void add(Delivery delivery, Result result) {
        if (waiting.put(delivery, result) == null) {
            delivery.writing();
        }
    }

    /** Completes with whether there was something to write, after it is written. */
    Future<Boolean> flush() {
        if (busy || waiting.isEmpty()) {
            return Future.succeededFuture(false);
        }
        Map<Delivery, Result> batch = next();
        busy = true;
        Failpoints.reach(NotifierSettings.BEFORE_SETTLE);
        return store.settle(batch)
                .transform(done -> {
                    busy = false;
                    if (done.failed()) {
                        again(batch, done.cause());
                        return Future.failedFuture(done.cause());
                    }
                    Failpoints.reach(NotifierSettings.SETTLED);
                    troubled = false;
                    long now = System.nanoTime();
                    batch.forEach((delivery, result) -> {
                        delivery.written();
                        if (result.state != Delivery.State.PENDING) {
                            delivery.mailbox().settled(delivery, now);
                        }
                    });
                    return Future.succeededFuture(true);
                });
    }

    /** Whether all that was heard is written down. */
    boolean isEmpty() {
        return waiting.isEmpty() && !busy;
    }

    private Map<Delivery, Result> next() {
        if (waiting.size() <= MAX_ROWS) {
            Map<Delivery, Result> all = waiting;
            waiting = new LinkedHashMap<>();
            return all;
        }
        Map<Delivery, Result> part = new LinkedHashMap<>();
        List<Delivery> first = new ArrayList<>(waiting.keySet()).subList(0, MAX_ROWS);
        for (Delivery each : first) {
            Result result = waiting.remove(each);
            if (result != null) {
                part.put(each, result);
            }
        }
        return part;
    }

    /** What could not be written goes before what came since, unless that is of the same one. */
    private void again(Map<Delivery, Result> batch, Throwable cause) {
        waiting.forEach((delivery, result) -> {
            if (batch.put(delivery, result) != null) {
                delivery.written();
            }
        });
        waiting = batch;
        if (!troubled) {
            troubled = true;
            LOG.warn("results of deliveries are not written: {}", cause.getMessage());
        }
    }
}
