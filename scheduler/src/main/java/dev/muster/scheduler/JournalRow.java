package dev.muster.scheduler;

import dev.muster.domain.Event;
import dev.muster.platform.codec.Codec;
import dev.muster.platform.codec.Decoded;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.JournalBody;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A row as the journal holds it.
 *
 * @param positions lane → n after this row
 * @param body of {@link JournalBody}
 */
public record JournalRow(
        long firstSeq,
        long lastSeq,
        long atMillis,
        long epoch,
        int codeVersion,
        int policyVersion,
        Map<String, Long> positions,
        byte[] body) {

    /**
     * Of the core's decisions: raised when the same inputs may lead to other events than before.
     */
    public static final int CODE_VERSION = 2;

    /**
     * @throws UnreadableJournal if a later version wrote it, or this one cannot read it
     */
    public CommittedRow committed() {
        if (codeVersion > CODE_VERSION) {
            throw new UnreadableJournal(
                    "the journal row of seq "
                            + firstSeq
                            + " to "
                            + lastSeq
                            + " was written by code version "
                            + codeVersion
                            + ", and this is code version "
                            + CODE_VERSION
                            + ": start the version that wrote it or a newer one",
                    null);
        }
        List<EncodedEvent> events = new ArrayList<>();
        for (JournalBody.RawEvent raw : rawEvents()) {
            events.add(new EncodedEvent(event(raw), raw.data()));
        }
        return new CommittedRow(firstSeq, lastSeq, atMillis, positions, events);
    }

    private List<JournalBody.RawEvent> rawEvents() {
        try {
            return JournalBody.rawEvents(body);
        } catch (RuntimeException e) {
            throw new UnreadableJournal(
                    "the journal row of seq " + firstSeq + " to " + lastSeq + " cannot be read", e);
        }
    }

    private Event event(JournalBody.RawEvent raw) {
        Decoded<Event> decoded;
        try {
            decoded = Codec.event(raw.type(), raw.data());
        } catch (RuntimeException e) {
            throw new UnreadableJournal(
                    "the journal row of seq "
                            + firstSeq
                            + " holds an event "
                            + raw.type()
                            + " that cannot be read",
                    e);
        }
        return switch (decoded) {
            case Decoded.Known<Event>(Event event) -> event;
            case Decoded.Unknown<Event>(String type, byte[] _) ->
                    throw new UnreadableJournal(
                            "the journal row of seq "
                                    + firstSeq
                                    + " holds an event of the type "
                                    + type
                                    + ", which this version does not know: start the version that"
                                    + " wrote it (code version "
                                    + codeVersion
                                    + ") or a newer one",
                            null);
        };
    }
}
