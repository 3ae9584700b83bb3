package dev.muster.scheduler;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;

import dev.muster.platform.codec.Json;

import java.util.Map;
import java.util.TreeMap;

/** Text form of a map of numbers in a jsonb column: lanes to n, topics to offsets. */
public final class LaneVector {

    private static final TypeReference<TreeMap<String, Long>> TYPE = new TypeReference<>() {};
    private static final ObjectReader READER = Json.json().readerFor(TYPE);
    private static final ObjectWriter WRITER = Json.json().writerFor(TYPE);

    private LaneVector() {}

    public static Map<String, Long> read(String json) {
        try {
            return READER.readValue(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not a vector of positions: " + json, e);
        }
    }

    public static String write(Map<String, Long> vector) {
        try {
            return WRITER.writeValueAsString(new TreeMap<>(vector));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write positions", e);
        }
    }
}
