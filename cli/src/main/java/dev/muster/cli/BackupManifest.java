package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.Map;
import java.util.TreeMap;

/**
 * What a backup says of itself, at its end: only a whole one has it.
 *
 * @param format of the backup's layout
 * @param madeAt when, as ISO 8601
 * @param schemas schema → version of its tables
 * @param rows table → rows
 * @param sequences sequence → the last value that it gave
 * @param objects of the object store
 * @param digest SHA-256 over names and contents of all entries before it, in hexadecimal
 */
record BackupManifest(
        int format,
        String madeAt,
        Map<String, String> schemas,
        Map<String, Long> rows,
        Map<String, Long> sequences,
        long objects,
        String digest) {

    static final int FORMAT = 1;
    static final String ENTRY = "manifest.json";

    String json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("format", format).put("madeAt", madeAt);
        ObjectNode versions = json.putObject("schemas");
        schemas.forEach(versions::put);
        ObjectNode counts = json.putObject("rows");
        rows.forEach(counts::put);
        ObjectNode last = json.putObject("sequences");
        sequences.forEach(last::put);
        return json.put("objects", objects).put("digest", digest).toString();
    }

    /**
     * @throws CommandFailure if a newer Muster wrote it
     */
    static BackupManifest of(JsonNode json) {
        int format = json.path("format").asInt();
        if (format != FORMAT) {
            throw new CommandFailure(
                    ExitCodes.FAILED,
                    "the backup has format "
                            + format
                            + ", this Muster reads "
                            + FORMAT
                            + ": restore it with the Muster that wrote it, or a newer one");
        }
        Map<String, String> schemas = new TreeMap<>();
        json.path("schemas")
                .properties()
                .forEach(each -> schemas.put(each.getKey(), each.getValue().asText()));
        return new BackupManifest(
                format,
                json.path("madeAt").asText(),
                schemas,
                numbers(json.path("rows")),
                numbers(json.path("sequences")),
                json.path("objects").asLong(),
                json.path("digest").asText());
    }

    private static Map<String, Long> numbers(JsonNode json) {
        Map<String, Long> numbers = new TreeMap<>();
        json.properties().forEach(each -> numbers.put(each.getKey(), each.getValue().asLong()));
        return numbers;
    }
}
