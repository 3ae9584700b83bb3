package dev.muster.simulation;

import dev.muster.platform.kafka.EventRecord;
import dev.muster.scheduler.CommittedRow;

import io.vertx.core.Future;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Publishes committed rows in order of seq, from the last seq of the topic on, as {@code
 * EventPublisher} does; after a failure it goes back to what was acknowledged.
 */
final class SimPublisher {

    private static final long RETRY_MILLIS = 400;
    private static final long LOOK_MILLIS = 3_000;

    private final World world;
    private final SimScheduler scheduler;
    private final long headSeq;
    private final Queue<CommittedRow> rows = new ArrayDeque<>();
    private long acknowledged = -1;
    private long sent;
    private boolean busy;
    private boolean stopped;

    SimPublisher(SimScheduler scheduler, long headSeq) {
        this.world = scheduler.world;
        this.scheduler = scheduler;
        this.headSeq = headSeq;
    }

    void begin() {
        long last =
                world.transport
                        .last(World.TOPICS.events())
                        .map(each -> EventRecord.read(each).seq())
                        .orElse(0L);
        acknowledged = Math.min(last, headSeq);
        sent = acknowledged;
        read();
    }

    void offer(CommittedRow row) {
        rows.add(row);
        publish();
    }

    void stop() {
        stopped = true;
    }

    private void read() {
        if (stopped) {
            return;
        }
        long from = sent;
        world.database
                .execute(
                        scheduler,
                        "publisher.read",
                        () -> world.database.journal.committedAfter(from))
                .onSuccess(found -> {
                    rows.clear();
                    rows.addAll(found);
                    publish();
                    scheduler.later(
                            found.isEmpty() ? LOOK_MILLIS : 1, () -> lookAgain(found.isEmpty()));
                })
                .onFailure(_ -> scheduler.later(RETRY_MILLIS, this::read));
    }

    /** What was offered while the journal was read may have been dropped. */
    private void lookAgain(boolean idle) {
        if (!idle || world.database.journal.head().seq() > sent) {
            read();
        } else if (!stopped) {
            scheduler.later(LOOK_MILLIS, () -> lookAgain(true));
        }
    }

    private void publish() {
        while (!busy && !stopped && !rows.isEmpty()) {
            CommittedRow row = rows.remove();
            if (row.lastSeq() <= sent || row.firstSeq() > sent + 1) {
                continue;
            }
            send(row);
        }
    }

    private void send(CommittedRow row) {
        busy = true;
        List<Future<Void>> all = new ArrayList<>();
        for (int i = 0; i < row.events().size(); i++) {
            long seq = row.firstSeq() + i;
            if (seq > acknowledged) {
                EventRecord record =
                        EventRecord.of(World.POOL, seq, row.atMillis(), row.events().get(i));
                all.add(world.transport.send(scheduler, record.toKafka(World.TOPICS.events(), 0)));
            }
        }
        sent = row.lastSeq();
        Future.all(all)
                .onSuccess(_ -> {
                    acknowledged = row.lastSeq();
                    busy = false;
                    publish();
                })
                .onFailure(_ -> {
                    busy = false;
                    sent = acknowledged;
                    scheduler.later(RETRY_MILLIS, this::read);
                });
    }
}
