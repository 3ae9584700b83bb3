package dev.muster.gateway;

import dev.muster.domain.Event;
import dev.muster.domain.PoolId;
import dev.muster.platform.codec.Codec;
import dev.muster.platform.codec.Decoded;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.kafka.EventRecord;

import io.vertx.core.buffer.Buffer;

import org.jspecify.annotations.Nullable;

/**
 * An event as the gateway passes it on; its form on a stream is made once, when somebody wants it.
 */
final class StreamEvent {

    private final EventRecord record;
    private final @Nullable Event event;
    private @Nullable Buffer json;

    private StreamEvent(EventRecord record, @Nullable Event event) {
        this.record = record;
        this.event = event;
    }

    static StreamEvent of(EventRecord record, Decoded<Event> decoded) {
        return new StreamEvent(
                record,
                switch (decoded) {
                    case Decoded.Known<Event>(Event known) -> known;
                    case Decoded.Unknown<Event> _ -> null;
                });
    }

    /** As it stands in a journal row. */
    static StreamEvent of(PoolId pool, long seq, long atMillis, String type, byte[] data) {
        return switch (Codec.event(type, data)) {
            case Decoded.Known<Event>(Event known) ->
                    new StreamEvent(
                            EventRecord.of(pool, seq, atMillis, new EncodedEvent(known, data)),
                            known);
            // a newer version's: of whom it tells is not known here, so it is shown to nobody
            case Decoded.Unknown<Event> _ ->
                    new StreamEvent(
                            new EventRecord(pool, seq, atMillis, type, "", "", "", data), null);
        };
    }

    EventRecord record() {
        return record;
    }

    long seq() {
        return record.seq();
    }

    /** Null if this version does not know the type. */
    @Nullable Event event() {
        return event;
    }

    /** Whether users may see it: what is about a job of theirs. */
    boolean isPublic() {
        return !record.job().isEmpty();
    }

    int bytes() {
        return record.data().length + 600; // with its frame, about
    }

    /** CloudEvents 1.0 in JSON, on one line. */
    Buffer json() {
        Buffer made = json;
        if (made == null) {
            made = Buffer.buffer(record.cloudEvent());
            json = made;
        }
        return made;
    }
}
