package dev.muster.platform.kafka;

import static dev.muster.platform.config.PlatformSettings.LANE_REPEAT_MILLIS;
import static dev.muster.platform.config.PlatformSettings.LANE_WINDOW;
import static dev.muster.platform.config.PlatformSettings.LANE_WINDOW_BYTES;

import dev.muster.domain.Failure;
import dev.muster.domain.Message;
import dev.muster.platform.config.Settings;
import dev.muster.platform.http.FailureException;
import dev.muster.platform.run.Failpoints;
import dev.muster.platform.run.SerialLoop;

import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A lane's way out. It publishes entries in the order of their n and keeps them until the pool's
 * journal has passed them; when the journal makes no progress, it publishes again from the position
 * on. Kafka may therefore lose records, and a send may fail: the lane heals.
 *
 * <p>The window in memory is bounded. A lane with a {@link LaneRefill} (its entries are durable)
 * goes on beyond the bound and reads back what it does not hold; one without refuses new entries.
 *
 * <p>Methods may be called from any thread; the work is done on one loop, in the order of calls.
 */
public final class LaneSender {

    private static final Logger LOG = LoggerFactory.getLogger(LaneSender.class);

    /** Entries read back at once. */
    private static final int REFILL_ENTRIES = 500;

    /**
     * What a lane needs of its surroundings.
     *
     * @param refill null for a lane that lives in memory only
     */
    public record Means(
            SerialLoop loop,
            RecordSink producer,
            JournalledPositions positions,
            @Nullable LaneRefill refill,
            Settings settings,
            MeterRegistry meters) {}

    private final LaneRoute route;
    private final Means means;
    private final LaneWindow window;
    private final LanePace pace;
    private final LaneMeters meters;
    private final Promise<Void> ready = Promise.promise();
    private final long timer;

    /** Highest n that exists, in memory or in the durable table. */
    private long last;

    /** Journalled position: everything up to it is delivered. */
    private volatile long acknowledged;

    /** Next n to publish. */
    private long cursor;

    private boolean started;
    private boolean asking;
    private boolean refilling;
    private boolean closed;

    private LaneSender(LaneRoute route, Means means, long last) {
        this.route = route;
        this.means = means;
        this.last = last;
        Settings settings = means.settings;
        this.window = new LaneWindow(settings.get(LANE_WINDOW), settings.get(LANE_WINDOW_BYTES), 0);
        long repeatMillis = settings.get(LANE_REPEAT_MILLIS);
        this.pace =
                new LanePace(TimeUnit.MILLISECONDS.toNanos(repeatMillis), means.loop.nanoTime());
        this.meters = new LaneMeters(means.meters, this, lane -> lane.last - lane.acknowledged);
        this.timer = means.loop.every(Math.max(10, repeatMillis / 4), this::watch);
    }

    /**
     * Opens a lane: reads the journalled position, then publishes what lies between it and {@code
     * last} from the refill.
     *
     * @param last highest n that was ever given on this lane; 0 for a new one
     */
    public static LaneSender open(LaneRoute route, Means means, long last) {
        LaneSender sender = new LaneSender(route, means, last);
        means.loop.execute(sender::watch);
        return sender;
    }

    /**
     * Completes once the position is known; until then entries are only gathered. Fails if the
     * journal is ahead of the lane's own numbers, which would lose entries.
     */
    public Future<Void> ready() {
        return ready.future();
    }

    public LaneRoute route() {
        return route;
    }

    /** Everything up to this n is journalled, as far as is known. */
    public long acknowledged() {
        return acknowledged;
    }

    /** Publishes entries that are durable already; their n follow one another and the last one. */
    public void publish(List<LaneEntry> entries) {
        means.loop.execute(() -> entries.forEach(this::take));
    }

    /**
     * Gives the next n to a message and publishes it: for lanes in memory.
     *
     * @return the n; fails with {@link Failure.Overloaded} when the window is full
     */
    public Future<Long> append(Message message) {
        Promise<Long> given = Promise.promise();
        means.loop.execute(() -> {
            if (closed || window.full()) {
                given.fail(
                        new FailureException(
                                new Failure.Overloaded(
                                        "the lane " + route.lane() + " is full", 1)));
                return;
            }
            LaneEntry entry = LaneEntry.of(last + 1, message);
            take(entry);
            given.complete(entry.n());
        });
        return given.future();
    }

    /** Publishes nothing more. What is not acknowledged is the next owner's. */
    public Future<Void> close() {
        Promise<Void> done = Promise.promise();
        means.loop.execute(() -> {
            closed = true;
            means.loop.cancel(timer);
            meters.remove();
            ready.tryFail("the lane was closed");
            done.complete();
        });
        return done.future();
    }

    private void take(LaneEntry entry) {
        if (entry.n() <= last) {
            return; // read back meanwhile, or given twice
        }
        if (means.refill == null && entry.n() != last + 1) {
            throw new IllegalStateException(
                    "lane " + route.lane() + " was given " + entry.n() + " after " + last);
        }
        if (last == acknowledged) {
            pace.began(means.loop.nanoTime());
        }
        last = entry.n();
        window.offer(entry); // no room: read back later
        pump();
    }

    private void pump() {
        if (!started || closed || pace.paused(means.loop.nanoTime())) {
            return;
        }
        while (cursor <= last) {
            LaneEntry entry = window.get(cursor);
            if (entry == null) {
                refill();
                return;
            }
            if (means.producer.room() == 0) {
                return; // the watch comes back to it
            }
            cursor++;
            send(entry);
        }
    }

    private void send(LaneEntry entry) {
        LaneRecord record =
                LaneRecord.of(route.pool(), route.lane(), entry.n(), entry.message(), entry.data());
        means.producer
                .send(record.toKafka(route.topic(), route.partition()))
                .onSuccess(_ -> Failpoints.reach("platform.lane.published"))
                .onFailure(cause -> means.loop.execute(() -> sendFailed(entry, cause)));
    }

    private void sendFailed(LaneEntry entry, Throwable cause) {
        if (closed || entry.n() <= acknowledged) {
            return;
        }
        if (RecordProducer.refusedForGood(cause)) {
            replace(entry, cause);
        } else {
            LOG.debug("lane {}: {} was not sent: {}", route.lane(), entry.n(), cause.toString());
            pace.pause(means.loop.nanoTime());
        }
        // what was sent after it may have arrived; the scheduler drops it as a gap
        cursor = Math.min(cursor, entry.n());
        pump();
    }

    private void replace(LaneEntry entry, Throwable cause) {
        Message other =
                Replacements.of(entry.message(), "Kafka refused the record: " + cause.getMessage());
        if (other == null) {
            LOG.error("lane {}: Kafka refuses {} for good", route.lane(), entry.n(), cause);
            pace.pauseLong(means.loop.nanoTime());
            return;
        }
        LOG.warn("lane {}: {} is replaced: {}", route.lane(), entry.n(), cause.getMessage());
        meters.replaced.increment();
        window.replace(LaneEntry.of(entry.n(), other));
    }

    private void refill() {
        LaneRefill source = means.refill;
        if (source == null || refilling || window.full()) {
            return;
        }
        refilling = true;
        long from = window.last() + 1;
        source.read(from, Math.min(REFILL_ENTRIES, window.room()))
                .onComplete(result ->
                        means.loop.execute(() -> {
                            refilling = false;
                            refilled(
                                    result.succeeded() ? result.result() : List.of(),
                                    result.cause());
                        }));
    }

    private void refilled(List<LaneEntry> entries, @Nullable Throwable cause) {
        if (cause != null) {
            LOG.warn("lane {} cannot be read back: {}", route.lane(), cause.getMessage());
            pace.pause(means.loop.nanoTime());
            return;
        }
        for (LaneEntry each : entries) {
            window.offer(each);
            last = Math.max(last, each.n());
        }
        if (!entries.isEmpty()) {
            pump();
        }
    }

    /** Comes four times per repeat interval. */
    private void watch() {
        if (closed) {
            return;
        }
        pump();
        boolean behind = acknowledged < last;
        boolean wanted =
                !started || (behind && (pace.quiet(means.loop.nanoTime()) || window.full()));
        if (!wanted || asking) {
            return;
        }
        asking = true;
        means.positions
                .of(route.pool(), route.lane())
                .onComplete(result ->
                        means.loop.execute(() -> {
                            asking = false;
                            if (result.succeeded()) {
                                positionKnown(result.result());
                            } else {
                                LOG.debug(
                                        "lane {}: no position: {}",
                                        route.lane(),
                                        result.cause().getMessage());
                            }
                        }));
    }

    private void positionKnown(long position) {
        if (closed) {
            return;
        }
        if (!started) {
            begin(position);
            return;
        }
        long now = means.loop.nanoTime();
        if (position > acknowledged) {
            moved(position, now);
        } else if (pace.repeatDue(now)) {
            repeat(now);
        }
    }

    private void moved(long position, long now) {
        acknowledged = position;
        window.dropTo(position);
        cursor = Math.max(cursor, position + 1);
        last = Math.max(last, position);
        pace.moved(position, last, now);
        pump();
    }

    private void begin(long position) {
        long known = means.refill == null ? 0 : last;
        if (position > known) {
            ready.tryFail(
                    "lane %s is journalled up to %d, but only %d were given"
                            .formatted(route.lane(), position, last));
            return;
        }
        acknowledged = position;
        window.dropTo(position);
        cursor = position + 1;
        started = true;
        pace.began(means.loop.nanoTime());
        ready.tryComplete();
        pump();
    }

    private void repeat(long now) {
        long from = acknowledged + 1;
        long end = Math.min(cursor - 1, acknowledged + pace.entries());
        if (end < from) {
            return; // nothing was sent yet
        }
        LOG.info(
                "lane {}: {} to {} are published again, the journal stands at {}",
                route.lane(),
                from,
                end,
                acknowledged);
        long n = from;
        for (; n <= end && means.producer.room() > 0; n++) {
            LaneEntry entry = window.get(n);
            if (entry == null) {
                break;
            }
            send(entry);
            meters.repeated.increment();
        }
        Failpoints.reach("platform.lane.repeated");
        pace.repeated(n - 1, now);
    }
}
