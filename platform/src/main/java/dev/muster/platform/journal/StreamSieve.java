package dev.muster.platform.journal;

import dev.muster.domain.Event;
import dev.muster.domain.PoolId;
import dev.muster.platform.codec.Decoded;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.Malformed;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.kafka.SkippedRecords;
import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Future;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Lets through what the event stream of all pools may hold: an event that can be read, of a pool
 * that is declared and in that pool's own partition, and not ahead of the journal, from which every
 * event comes. What is left out is counted; if it was a fact, the next one shows the gap and the
 * journal fills it. One batch at a time.
 *
 * @param <T> form in which the events are wanted
 */
public final class StreamSieve<T> {

    private final SkippedRecords skipped;
    private final Function<PoolId, Integer> partitions;
    private final Function<PoolId, Future<Long>> heads;
    private final BiFunction<EventRecord, Decoded<Event>, T> form;

    /** Seq up to which each pool's journal is known to reach. */
    private final Map<PoolId, Long> known = new HashMap<>();

    /**
     * @param loop that reads the records, a tag of the metric
     * @param form may throw {@link Malformed}
     */
    public StreamSieve(
            ServiceContext service, String loop, BiFunction<EventRecord, Decoded<Event>, T> form) {
        this.skipped = new SkippedRecords(service.meters(), loop);
        this.partitions = pool -> service.pools().partition(pool).orElse(-1);
        this.heads = pool -> new JournalReader(service.vertx(), service.database(), pool).headSeq();
        this.form = form;
    }

    private record Read<T>(EventRecord record, T event) {}

    /**
     * What remains of a batch.
     *
     * @return fails when the journal's end cannot be read, which only a gap asks for
     */
    public Future<List<T>> sift(List<ConsumerRecord<String, byte[]>> batch) {
        List<Read<T>> read = new ArrayList<>(batch.size());
        Set<PoolId> jumped = new HashSet<>();
        Map<PoolId, Long> expected = new HashMap<>(known);
        for (ConsumerRecord<String, byte[]> each : batch) {
            Read<T> one = read(each);
            if (one != null) {
                read.add(one);
                PoolId pool = one.record.pool();
                if (one.record.seq() > expected.getOrDefault(pool, -1L) + 1) {
                    jumped.add(pool);
                }
                expected.merge(pool, one.record.seq(), Math::max);
            }
        }
        if (jumped.isEmpty()) {
            known.putAll(expected);
            return Future.succeededFuture(read.stream().map(Read::event).toList());
        }
        Map<PoolId, Future<Long>> asked =
                jumped.stream().collect(Collectors.toMap(Function.identity(), heads));
        return Future.all(List.copyOf(asked.values())).map(_ -> notAhead(read, asked, expected));
    }

    private List<T> notAhead(
            List<Read<T>> read, Map<PoolId, Future<Long>> asked, Map<PoolId, Long> expected) {
        Map<PoolId, Long> ends = new HashMap<>(expected);
        asked.forEach((pool, head) -> ends.put(pool, head.result()));
        List<T> passed = new ArrayList<>(read.size());
        for (Read<T> each : read) {
            if (each.record.seq() <= ends.getOrDefault(each.record.pool(), -1L)) {
                passed.add(each.event);
            } else {
                skipped.skip("ahead", each.record.id() + " is ahead of the journal");
            }
        }
        known.putAll(ends);
        return passed;
    }

    private @Nullable Read<T> read(ConsumerRecord<String, byte[]> raw) {
        try {
            EventRecord record = EventRecord.read(raw);
            if (partitions.apply(record.pool()) != raw.partition()) {
                skipped.skip("foreign", record.id() + " is not of partition " + raw.partition());
                return null;
            }
            Decoded<Event> decoded = record.decode();
            if (decoded instanceof Decoded.Known<Event>(Event event)
                    && !saysWhatItHolds(record, event)) {
                throw new Malformed("the header of event " + record.id());
            }
            return new Read<>(record, form.apply(record, decoded));
        } catch (Malformed e) {
            skipped.skip("malformed", e.getMessage() + ", at offset " + raw.offset());
            return null;
        }
    }

    /** Readers route by the headers alone. */
    private static boolean saysWhatItHolds(EventRecord record, Event event) {
        EventRecord made =
                EventRecord.of(
                        record.pool(),
                        record.seq(),
                        record.atMillis(),
                        new EncodedEvent(event, record.data()));
        return made.job().equals(record.job())
                && made.project().equals(record.project())
                && made.node().equals(record.node());
    }
}
