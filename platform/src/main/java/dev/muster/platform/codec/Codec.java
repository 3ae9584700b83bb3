package dev.muster.platform.codec;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;

import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.Message;

import java.util.Set;

/**
 * Messages and events as UTF-8 JSON. A type's name is its simple class name; members that this
 * version does not know are skipped on reading, so that a newer writer may add some.
 */
public final class Codec {

    static final TypeRegistry<Event> EVENTS = new TypeRegistry<>(Event.class);
    static final TypeRegistry<Message> MESSAGES = new TypeRegistry<>(Message.class);
    private static final ObjectWriter SUBMISSION = Json.json().writerFor(Submission.class);

    private Codec() {}

    public static byte[] encode(Event event) {
        return EVENTS.encode(event);
    }

    public static byte[] encode(Message message) {
        return MESSAGES.encode(message);
    }

    /**
     * A submission with the masked canonical specification as one more member, for consumers of the
     * stream; the scheduler skips it.
     *
     * @param specJson a JSON object, taken verbatim
     */
    public static byte[] encode(Command.SubmitJob submit, String specJson) {
        try {
            return SUBMISSION.writeValueAsBytes(
                    new Submission(
                            submit.acceptedAtMillis(),
                            submit.ask(),
                            submit.name(),
                            specJson,
                            submit.specHash()));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot encode a submission", e);
        }
    }

    /**
     * @throws Malformed if the bytes are not such an event
     */
    public static Decoded<Event> event(String type, byte[] data) {
        return EVENTS.decode(type, data);
    }

    /**
     * @throws Malformed if the bytes are not such a command or report
     */
    public static Decoded<Message> message(String type, byte[] data) {
        return MESSAGES.decode(type, data);
    }

    public static String type(Message message) {
        return message.getClass().getSimpleName();
    }

    /** Names of all events, sorted. */
    public static Set<String> eventTypes() {
        return EVENTS.names();
    }

    /** Names of all commands and reports, sorted. */
    public static Set<String> messageTypes() {
        return MESSAGES.names();
    }

    private record Submission(
            long acceptedAtMillis,
            Ask ask,
            String name,
            @JsonRawValue String spec,
            String specHash) {}
}
