package dev.muster.platform.codec;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The concrete types of a sealed interface by their simple names, derived from what it permits.
 *
 * @param <T> the sealed interface
 */
final class TypeRegistry<T> {

    private record Entry<T>(Class<? extends T> type, ObjectReader reader) {}

    private final Class<T> root;
    private final Map<String, Entry<T>> byName = new HashMap<>();
    private final ClassValue<ObjectWriter> writers =
            new ClassValue<>() {
                @Override
                protected ObjectWriter computeValue(Class<?> type) {
                    return Json.json().writerFor(type);
                }
            };

    TypeRegistry(Class<T> root) {
        this.root = root;
        collect(root);
    }

    private void collect(Class<? extends T> type) {
        Class<?> @Nullable [] permitted = type.getPermittedSubclasses();
        if (permitted == null) {
            Entry<T> entry = new Entry<>(type, Json.json().readerFor(type));
            Entry<T> other = byName.put(type.getSimpleName(), entry);
            if (other != null && other.type != type) {
                throw new IllegalStateException("two types are named " + type.getSimpleName());
            }
            return;
        }
        for (Class<?> each : permitted) {
            collect(each.asSubclass(root));
        }
    }

    Set<String> names() {
        return new TreeSet<>(byName.keySet());
    }

    Class<? extends T> type(String name) {
        Entry<T> entry = byName.get(name);
        if (entry == null) {
            throw new UnknownType(name);
        }
        return entry.type;
    }

    byte[] encode(T value) {
        try {
            return writer(value).writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot encode " + value.getClass().getSimpleName(), e);
        }
    }

    ObjectWriter writer(T value) {
        return writers.get(value.getClass());
    }

    Decoded<T> decode(String name, byte[] data) {
        Entry<T> entry = byName.get(name);
        if (entry == null) {
            return new Decoded.Unknown<>(name, data);
        }
        try {
            return new Decoded.Known<>(entry.reader.readValue(data));
        } catch (IOException | IllegalArgumentException e) {
            throw new Malformed("a " + name, e);
        }
    }

    /** Reads the value at which the parser stands. */
    Decoded<T> decode(String name, JsonParser in) throws IOException {
        Entry<T> entry = byName.get(name);
        if (entry == null) {
            JsonNode tree = Json.json().readTree(in);
            return new Decoded.Unknown<>(name, Json.json().writeValueAsBytes(tree));
        }
        try {
            return new Decoded.Known<>(entry.reader.readValue(in));
        } catch (IllegalArgumentException e) {
            throw new Malformed("a " + name, e);
        }
    }
}
