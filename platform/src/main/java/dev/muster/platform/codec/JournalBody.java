package dev.muster.platform.codec;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.LaneId;
import dev.muster.domain.Message;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Body of a journal row: the inputs verbatim and the events that they led to, as zstd of {@code
 * {"events":[{"data","type"}…],"inputs":[{"data","lane","n","type"}…]}}.
 *
 * @param events in order of seq
 */
public record JournalBody(List<Input> inputs, List<Decoded<Event>> events) {

    private static final TypeRegistry<Input> INPUTS = new TypeRegistry<>(Input.class);

    /** An event of a row as it was written: for those who only pass it on. */
    public record RawEvent(String type, byte[] data) {}

    public JournalBody {
        inputs = List.copyOf(inputs);
        events = List.copyOf(events);
    }

    /**
     * Same bytes for the same arguments, in any JVM. Types and lanes are names of letters, digits
     * and a few signs: nothing in them needs escaping.
     */
    public static byte[] encode(List<Input> inputs, List<EncodedEvent> events) {
        ByteArrayOutputStream out =
                new ByteArrayOutputStream(256 * (inputs.size() + events.size()));
        // events before inputs: sorted keys
        put(out, "{\"events\":[");
        String separator = "";
        for (EncodedEvent each : events) {
            put(out, separator + "{\"data\":");
            out.writeBytes(each.data());
            put(out, ",\"type\":\"" + each.type() + "\"}");
            separator = ",";
        }
        put(out, "],\"inputs\":[");
        separator = "";
        for (Input each : inputs) {
            put(out, separator + "{\"data\":");
            putInput(out, each);
            separator = ",";
        }
        put(out, "]}");
        return Compression.compress(out.toByteArray());
    }

    private static void putInput(ByteArrayOutputStream out, Input input) {
        switch (input) {
            case Input.Delivered(LaneId lane, long n, Message message) -> {
                out.writeBytes(Codec.encode(message));
                put(out, ",\"lane\":\"" + lane + "\",\"n\":" + n);
                put(out, ",\"type\":\"" + Codec.type(message) + "\"}");
            }
            case Input.Tick _, Input.LeaderElected _, Input.OutageEnded _ -> {
                out.writeBytes(INPUTS.encode(input));
                put(out, ",\"type\":\"" + input.getClass().getSimpleName() + "\"}");
            }
        }
    }

    private static void put(ByteArrayOutputStream out, String ascii) {
        out.writeBytes(ascii.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * @throws Malformed if the bytes are not a journal body
     * @throws UnknownType if an input's type is not known; an event's may be
     */
    public static JournalBody decode(byte[] body) {
        List<Input> inputs = new ArrayList<>();
        List<Decoded<Event>> events = new ArrayList<>();
        read(
                body,
                item -> inputs.add(item.input()),
                item -> events.add(Codec.event(item.type, item.data)));
        return new JournalBody(inputs, events);
    }

    /** The events alone. */
    public static List<Decoded<Event>> events(byte[] body) {
        return rawEvents(body).stream().map(e -> Codec.event(e.type(), e.data())).toList();
    }

    /** The events as they were written, without decoding them. */
    public static List<RawEvent> rawEvents(byte[] body) {
        List<RawEvent> events = new ArrayList<>();
        read(body, null, item -> events.add(new RawEvent(item.type, item.data)));
        return events;
    }

    private interface Sink {
        void take(Item item);
    }

    private record Item(String type, byte[] data, @Nullable String lane, long n) {

        Input input() {
            if (lane != null) {
                return new Input.Delivered(
                        new LaneId(lane), n, Codec.message(type, data).orThrow());
            }
            return INPUTS.decode(type, data).orThrow();
        }
    }

    private static void read(byte[] body, @Nullable Sink inputs, Sink events) {
        byte[] json = Compression.decompress(body);
        try (JsonParser in = Json.json().getFactory().createParser(json)) {
            expect(in.nextToken() == JsonToken.START_OBJECT);
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String name = in.currentName();
                in.nextToken();
                if ("events".equals(name)) {
                    readItems(in, json, events);
                } else if ("inputs".equals(name) && inputs != null) {
                    readItems(in, json, inputs);
                } else {
                    in.skipChildren();
                }
            }
        } catch (IOException e) {
            throw new Malformed("a journal body", e);
        }
    }

    private static void readItems(JsonParser in, byte[] json, Sink sink) throws IOException {
        expect(in.currentToken() == JsonToken.START_ARRAY);
        while (in.nextToken() == JsonToken.START_OBJECT) {
            sink.take(readItem(in, json));
        }
    }

    private static Item readItem(JsonParser in, byte[] json) throws IOException {
        String type = "";
        byte[] data = new byte[0];
        String lane = null;
        long n = 0;
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            in.nextToken();
            switch (name) {
                case "type" -> type = in.getText();
                case "lane" -> lane = in.getText();
                case "n" -> n = in.getLongValue();
                case "data" -> data = slice(in, json);
                default -> in.skipChildren();
            }
        }
        return new Item(type, data, lane, n);
    }

    /** The bytes of the value at which the parser stands, verbatim. */
    private static byte[] slice(JsonParser in, byte[] json) throws IOException {
        int from = (int) in.currentTokenLocation().getByteOffset();
        in.skipChildren();
        int to = (int) in.currentLocation().getByteOffset();
        return Arrays.copyOfRange(json, from, to);
    }

    private static void expect(boolean held) {
        if (!held) {
            throw new Malformed("a journal body");
        }
    }
}
