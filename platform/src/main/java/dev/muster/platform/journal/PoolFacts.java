package dev.muster.platform.journal;

import dev.muster.domain.Event;
import dev.muster.domain.PoolId;
import dev.muster.domain.PoolSnapshot;
import dev.muster.platform.codec.Codec;
import dev.muster.platform.codec.Decoded;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.codec.Malformed;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.run.SerialLoop;

import io.vertx.core.Future;
import io.vertx.core.Promise;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * The pool's facts in order of seq, each once: first the snapshot and the journal, then the event
 * stream. Where the stream has a gap, or is silent while the journal moves on, the journal fills
 * it. Everything but {@link #records} runs on the term's thread.
 */
public final class PoolFacts {

    private static final Logger LOG = LoggerFactory.getLogger(PoolFacts.class);
    private static final int PAGE_ROWS = 100;
    private static final long RETRY_MILLIS = 500;

    /** Takes the facts. */
    public interface Sink {
        /** The state to begin with; empty before the pool's first snapshot. */
        void begin(Optional<PoolSnapshot> snapshot);

        /** Everything up to the journal's end was given; from now on facts come as they happen. */
        void current();

        /** Whether facts of this type are wanted; others are not decoded. */
        boolean concerns(String type);

        void fact(Event event);
    }

    private final SerialLoop timers;
    private final FactSource journal;
    private final PoolId pool;
    private final Executor loop;
    private final Sink sink;

    /** Seq of the last fact that was given. */
    private long seq = -1;

    private boolean current;
    private boolean reading;
    private List<ConsumerRecord<String, byte[]>> held = List.of();
    private int next;
    private @Nullable Promise<Void> heldDone;
    private long seqAtLastLook = -1;
    private long seqAtLastRefill = -1;

    /** Whether the journal was read since the records held were fetched. */
    private boolean filled;

    private long refills;
    private long skipped;
    private boolean troubled;

    /**
     * @param timers for pauses
     * @param loop of the term
     */
    public PoolFacts(SerialLoop timers, FactSource journal, PoolId pool, Executor loop, Sink sink) {
        this.timers = timers;
        this.journal = journal;
        this.pool = pool;
        this.loop = loop;
        this.sink = sink;
    }

    /** Loads the state. */
    public void begin() {
        reading = true;
        journal.snapshot()
                .onSuccess(found -> loop.execute(() -> loaded(found)))
                .onFailure(cause -> again(cause, this::begin));
    }

    private void loaded(Optional<PoolSnapshot> snapshot) {
        seq = snapshot.map(PoolSnapshot::seq).orElse(0L);
        sink.begin(snapshot);
        readPage();
    }

    /** Seq of the last fact that was given, −1 before the first state. */
    public long seq() {
        return seq;
    }

    /** Times that the journal had to fill a gap of the stream. */
    public long refills() {
        return refills;
    }

    /** Records of the stream that were no facts of this pool's journal. */
    public long skipped() {
        return skipped;
    }

    /**
     * Takes records of the event stream.
     *
     * @return completes when all of them were given
     */
    public Future<Void> records(List<ConsumerRecord<String, byte[]>> batch) {
        Promise<Void> done = Promise.promise();
        loop.execute(() -> {
            held = batch;
            filled = false;
            next = 0;
            heldDone = done;
            goOn();
        });
        return done.future();
    }

    /** To be called now and then: notices facts that the stream never brought. */
    public void look() {
        if (!current || reading || seq != seqAtLastLook) {
            seqAtLastLook = seq;
            return;
        }
        journal.headSeq()
                .onSuccess(head ->
                        loop.execute(() -> {
                            if (head > seq && !reading && seq == seqAtLastLook) {
                                refill();
                            }
                        }))
                .onFailure(cause -> LOG.debug("the pool's head cannot be read", cause));
    }

    private void goOn() {
        while (current && !reading && next < held.size()) {
            if (!take(held.get(next))) {
                if (!filled) {
                    filled = true;
                    refill();
                    return;
                }
                // the journal, from which every fact comes, was read to its end since
                skip("is ahead of the journal", null);
            }
            next++;
        }
        Promise<Void> done = heldDone;
        if (next >= held.size() && done != null) {
            held = List.of();
            next = 0;
            heldDone = null;
            done.complete();
        }
    }

    /** False if facts are missing before this one. */
    private boolean take(ConsumerRecord<String, byte[]> record) {
        EventRecord event;
        try {
            event = EventRecord.read(record);
        } catch (Malformed e) {
            skip("cannot be read", e);
            return true; // if it was a fact, the next one shows the gap
        }
        if (!event.pool().equals(pool) || event.seq() <= seq) {
            return true;
        }
        if (event.seq() > seq + 1) {
            return false;
        }
        Decoded<Event> decoded = null;
        if (sink.concerns(event.type())) {
            try {
                decoded = event.decode();
            } catch (Malformed e) {
                LOG.debug("event {} is read from the journal", event.id(), e);
                return false;
            }
        }
        if (decoded instanceof Decoded.Known<Event>(Event fact)) {
            sink.fact(fact);
        }
        seq = event.seq();
        return true;
    }

    private void skip(String why, @Nullable Malformed cause) {
        skipped++;
        // powers of two: a flood of them does not fill the log
        if (Long.bitCount(skipped) == 1) {
            LOG.warn("pool {}: record {} of the event stream {}", pool, skipped, why, cause);
        }
    }

    private void give(long of, String type, byte[] data) {
        if (sink.concerns(type)
                && Codec.event(type, data) instanceof Decoded.Known<Event>(Event event)) {
            sink.fact(event);
        }
        seq = of;
    }

    private void refill() {
        refills++;
        reading = true;
        if (seq == seqAtLastRefill) {
            // the stream is ahead of the journal, which should not be: no reason to spin
            timers.later(RETRY_MILLIS, () -> loop.execute(this::readPage));
        } else {
            seqAtLastRefill = seq;
            readPage();
        }
    }

    private void readPage() {
        journal.rowsAfter(seq, PAGE_ROWS)
                .onSuccess(rows -> loop.execute(() -> pageRead(rows)))
                .onFailure(cause -> again(cause, this::readPage));
    }

    private void pageRead(List<FactSource.JournalRow> rows) {
        troubled = false;
        for (FactSource.JournalRow row : rows) {
            if (row.firstSeq() > seq + 1) {
                throw new IllegalStateException(
                        "after seq %d the journal of pool %s goes on with %d"
                                .formatted(seq, pool, row.firstSeq()));
            }
            long of = row.firstSeq();
            for (JournalBody.RawEvent each : JournalBody.rawEvents(row.body())) {
                if (of > seq) {
                    give(of, each.type(), each.data());
                }
                of++;
            }
        }
        if (rows.size() == PAGE_ROWS) {
            readPage();
            return;
        }
        reading = false;
        if (!current) {
            current = true;
            sink.current();
        }
        goOn();
    }

    private void again(Throwable cause, Runnable step) {
        loop.execute(() -> {
            if (!troubled) {
                troubled = true;
                LOG.warn("the journal of pool {} cannot be read yet: {}", pool, cause.getMessage());
            }
            timers.later(RETRY_MILLIS, () -> loop.execute(step));
        });
    }
}
