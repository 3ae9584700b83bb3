package dev.muster.platform.codec;

import dev.muster.domain.Event;

/** An event beside its bytes: encoded once for the journal, Kafka and the streams. */
public record EncodedEvent(Event event, byte[] data) {

    public static EncodedEvent of(Event event) {
        return new EncodedEvent(event, Codec.encode(event));
    }

    public String type() {
        return event.type();
    }
}
