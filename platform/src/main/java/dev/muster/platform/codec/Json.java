package dev.muster.platform.codec;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;

import dev.muster.domain.JobId;
import dev.muster.domain.LaneId;
import dev.muster.domain.NodeId;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.QueueId;

import java.io.IOException;
import java.util.function.Function;

/** JSON as Muster writes it everywhere: sorted keys, ids as strings, enums by name, no nulls. */
public final class Json {

    /** Longest text in a document: above the largest specification. */
    private static final int MAX_STRING_CHARACTERS = 8 << 20;

    private static final ObjectMapper MAPPER = mapper();

    private Json() {}

    /** The configured mapper: thread-safe; not to be changed. */
    public static ObjectMapper json() {
        return MAPPER;
    }

    private static ObjectMapper mapper() {
        JsonFactory factory =
                JsonFactory.builder()
                        .streamReadConstraints(
                                StreamReadConstraints.builder()
                                        .maxStringLength(MAX_STRING_CHARACTERS)
                                        .maxNestingDepth(64)
                                        .build())
                        .build();
        return Mixins.addTo(JsonMapper.builder(factory))
                .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                // creator (record) order would win over the alphabet otherwise
                .disable(MapperFeature.SORT_CREATOR_PROPERTIES_FIRST)
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .defaultPropertyInclusion(
                        JsonInclude.Value.construct(
                                JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
                .addModule(ids())
                .build();
    }

    private static SimpleModule ids() {
        SimpleModule module = new SimpleModule("ids");
        id(module, JobId.class, JobId::toString, JobId::parse);
        id(module, ProjectId.class, ProjectId::value, ProjectId::new);
        id(module, QueueId.class, QueueId::value, QueueId::new);
        id(module, PoolId.class, PoolId::value, PoolId::new);
        id(module, NodeId.class, NodeId::value, NodeId::new);
        id(module, LaneId.class, LaneId::value, LaneId::new);
        return module;
    }

    private static <T> void id(
            SimpleModule module,
            Class<T> type,
            Function<T, String> write,
            Function<String, T> read) {
        module.addSerializer(type, new IdWriter<>(type, write));
        module.addDeserializer(type, new IdReader<>(type, read));
    }

    private static final class IdWriter<T> extends StdScalarSerializer<T> {
        private static final long serialVersionUID = 1;
        private final transient Function<T, String> write;

        IdWriter(Class<T> type, Function<T, String> write) {
            super(type);
            this.write = write;
        }

        @Override
        public void serialize(T value, JsonGenerator out, SerializerProvider provider)
                throws IOException {
            out.writeString(write.apply(value));
        }
    }

    private static final class IdReader<T> extends StdScalarDeserializer<T> {
        private static final long serialVersionUID = 1;
        private final transient Function<String, T> read;

        IdReader(Class<T> type, Function<String, T> read) {
            super(type);
            this.read = read;
        }

        @Override
        public T deserialize(JsonParser in, DeserializationContext context) throws IOException {
            String text = in.getValueAsString();
            if (text == null) {
                return context.reportInputMismatch(this, "an id is a string");
            }
            try {
                return read.apply(text);
            } catch (IllegalArgumentException e) {
                return context.reportInputMismatch(this, "not an id: %s", e.getMessage());
            }
        }
    }
}
