package dev.muster.gateway;

import dev.muster.domain.PoolId;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * One open stream. It keeps no events of its own but a bounded page: it knows how far it has come
 * in each pool and takes what follows from the ring, or from the journal where the ring no longer
 * reaches back. So a client that reads slowly costs its connection's buffer, and one that does not
 * read at all is cut off and may resume where it stopped.
 */
final class Subscription {

    private static final Logger LOG = LoggerFactory.getLogger(Subscription.class);
    private static final int CHUNK_BYTES = 32 << 10;
    private static final int MAX_PAGE_BYTES = 256 << 10;
    private static final long RETRY_MILLIS = 500;

    /**
     * What is wanted.
     *
     * @param everyPool also those that appear later
     */
    record Filter(
            @Nullable String project, @Nullable String job, Set<String> types, boolean everyPool) {

        boolean wants(StreamEvent event) {
            return event.isPublic()
                    && (project == null || project.equals(event.record().project()))
                    && (job == null || job.equals(event.record().job()))
                    && (types.isEmpty() || types.contains(event.record().type()));
        }
    }

    private final EventHub hub;
    private final JournalReader journal;
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final Filter filter;
    private final TreeMap<PoolId, Long> positions;

    /** What was read back and is not sent yet, of one pool. */
    private final Deque<StreamEvent> page = new ArrayDeque<>();

    /** Pools whose journal is to be read to its end, since the ring may begin behind it. */
    private final Set<PoolId> behind;

    private boolean reading;
    private boolean ended;
    private long lastWriteNanos = System.nanoTime();
    private long roomNanos = System.nanoTime();

    Subscription(
            EventHub hub,
            JournalReader journal,
            HttpServerRequest request,
            Filter filter,
            Map<PoolId, Long> positions) {
        this.hub = hub;
        this.journal = journal;
        this.request = request;
        this.response = request.response();
        this.filter = filter;
        this.positions = new TreeMap<>(positions);
        this.behind = new HashSet<>(positions.keySet());
    }

    /** Answers the request; from then on the stream flows. */
    void start(int bufferBytes) {
        response.setChunked(true)
                .setWriteQueueMaxSize(bufferBytes)
                .putHeader("Content-Type", "text/event-stream")
                .putHeader("Cache-Control", "no-store")
                .putHeader("X-Accel-Buffering", "no");
        response.closeHandler(_ -> forget());
        response.exceptionHandler(_ -> forget());
        response.drainHandler(_ -> pump());
        hub.add(this);
        write(Buffer.buffer("retry: 1000\n").appendBuffer(idLine()).appendString("\n"));
        pump();
    }

    boolean follows(Set<PoolId> touched) {
        for (PoolId pool : touched) {
            if (positions.containsKey(pool)) {
                return true;
            }
        }
        return false;
    }

    void poolAppeared(PoolId pool) {
        if (filter.everyPool() && positions.size() < Cursor.MAX_POOLS) {
            if (positions.putIfAbsent(pool, 0L) == null) {
                behind.add(pool);
            }
        }
    }

    /** Sends what there is, as far as the client takes it. */
    void pump() {
        boolean progressed = true;
        while (progressed && !ended && !response.writeQueueFull()) {
            roomNanos = System.nanoTime();
            Buffer chunk = Buffer.buffer();
            progressed = fill(chunk);
            if (chunk.length() > 0) {
                write(chunk);
            }
        }
    }

    /** Whether it came further in any pool. */
    private boolean fill(Buffer chunk) {
        boolean progressed = false;
        for (PoolId pool : List.copyOf(positions.keySet())) {
            EventRing ring = hub.ring(pool);
            StreamEvent event = next(pool, ring);
            while (event != null) {
                passed(pool, event, chunk);
                progressed = true;
                event = chunk.length() < CHUNK_BYTES ? next(pool, ring) : null;
            }
            boolean missed = ring.last() > 0 && position(pool) + 1 < ring.first();
            if (missed || behind.contains(pool)) {
                readBack(pool);
            }
        }
        return progressed;
    }

    private @Nullable StreamEvent next(PoolId pool, EventRing ring) {
        StreamEvent read = page.peek();
        if (read != null && read.record().pool().equals(pool)) {
            return page.poll();
        }
        StreamEvent event = ring.get(position(pool) + 1);
        if (event != null) {
            behind.remove(pool);
        }
        return event;
    }

    private void passed(PoolId pool, StreamEvent event, Buffer chunk) {
        positions.put(pool, event.seq());
        if (filter.wants(event)) {
            chunk.appendBuffer(idLine())
                    .appendString("event: " + event.record().type() + "\ndata: ")
                    .appendBuffer(event.json())
                    .appendString("\n\n");
        }
    }

    private long position(PoolId pool) {
        Long position = positions.get(pool);
        return position == null ? 0 : position;
    }

    /** One page at a time; while it is read, the rings serve the other pools. */
    private void readBack(PoolId pool) {
        if (reading || ended || !page.isEmpty()) {
            return;
        }
        reading = true;
        long after = position(pool);
        journal.after(pool, after)
                .onComplete(read -> {
                    reading = false;
                    if (read.succeeded()) {
                        keep(pool, after, read.result());
                        pump();
                    } else if (!ended) {
                        LOG.debug("the journal is not read: {}", read.cause().getMessage());
                        hub.later(RETRY_MILLIS, this::pump);
                    }
                });
    }

    /** Keeps as much of a page as is allowed; the rest is read again when its turn comes. */
    private void keep(PoolId pool, long after, List<StreamEvent> events) {
        if (ended || position(pool) != after) {
            return;
        }
        EventRing ring = hub.ring(pool);
        long continuesAt = events.isEmpty() ? ring.first() : events.getFirst().seq();
        if (events.isEmpty()) {
            behind.remove(pool);
        }
        if (continuesAt > after + 1 && (!events.isEmpty() || ring.last() > 0)) {
            LOG.warn("pool {}: events {} to {} are not there", pool, after + 1, continuesAt - 1);
            positions.put(pool, continuesAt - 1);
            write(lost(pool, after, continuesAt));
        }
        long bytes = 0;
        for (StreamEvent event : events) {
            if (bytes > MAX_PAGE_BYTES) {
                break;
            }
            page.add(event);
            bytes += filter.wants(event) ? event.bytes() : 0;
        }
    }

    /**
     * Told to the client, since it cannot be made good: closed parts of the journal were moved
     * away.
     */
    private static Buffer lost(PoolId pool, long after, long first) {
        return Buffer.buffer(
                "event: HistoryUnavailable\ndata: {\"pool\":\""
                        + pool
                        + "\",\"after\":"
                        + after
                        + ",\"continuesAt\":"
                        + first
                        + "}\n\n");
    }

    private Buffer idLine() {
        return Buffer.buffer(
                ("id: " + Cursor.write(positions) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private void write(Buffer chunk) {
        lastWriteNanos = System.nanoTime();
        response.write(chunk).onFailure(_ -> forget());
    }

    /** Shows that the stream lives, and cuts it off when nobody takes what was sent. */
    void watch(long now, long heartbeatNanos, long stallNanos) {
        if (!response.writeQueueFull()) {
            roomNanos = now;
            if (now - lastWriteNanos >= heartbeatNanos) {
                // an id alone moves the client's cursor over events that it did not want
                write(idLine().appendString("\n"));
            }
        } else if (now - roomNanos > stallNanos) {
            LOG.info("a subscriber takes nothing and is cut off at {}", Cursor.write(positions));
            forget();
            request.connection().close().onFailure(Answers::gone);
        }
    }

    void end() {
        forget();
        if (!response.ended() && !response.closed()) {
            response.end().onFailure(Answers::gone);
        }
    }

    private void forget() {
        ended = true;
        page.clear();
        hub.remove(this);
    }
}
