package dev.muster.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** JSON and YAML documents as users write and read them. */
final class Documents {

    private static final ObjectMapper JSON =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    private static final ObjectMapper YAML =
            new ObjectMapper(
                    YAMLFactory.builder()
                            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                            .build());

    private Documents() {}

    /** Reads a file of YAML, of which JSON is a part; {@code -} is standard input. */
    static JsonNode readFile(Path file) {
        try {
            String text =
                    file.toString().equals("-")
                            ? new String(
                                    System.in.readAllBytes(),
                                    java.nio.charset.StandardCharsets.UTF_8)
                            : Files.readString(file);
            JsonNode node = YAML.readTree(text);
            if (node == null || !node.isObject()) {
                throw new CommandFailure(
                        ExitCodes.USAGE, file + " holds no job: a mapping of members is expected");
            }
            return node;
        } catch (NoSuchFileException e) {
            throw new CommandFailure(ExitCodes.USAGE, "there is no file " + file);
        } catch (JsonProcessingException e) {
            throw new CommandFailure(
                    ExitCodes.USAGE, file + " is not valid YAML or JSON" + place(e));
        } catch (IOException e) {
            throw new CommandFailure(ExitCodes.USAGE, file + " cannot be read: " + e.getMessage());
        }
    }

    private static String place(JsonProcessingException e) {
        String why = e.getOriginalMessage().lines().findFirst().orElse("").strip();
        return e.getLocation() == null
                ? ": " + why
                : " at line "
                        + e.getLocation().getLineNr()
                        + ", column "
                        + e.getLocation().getColumnNr()
                        + ": "
                        + why;
    }

    static JsonNode json(String text) {
        try {
            return text.isEmpty() ? MissingNode.getInstance() : JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new CommandFailure(ExitCodes.FAILED, "the answer is not JSON" + place(e));
        }
    }

    /** A missing node if the text is no JSON. */
    static JsonNode tryJson(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    static String pretty(JsonNode node) {
        return write(JSON, node);
    }

    static String yaml(JsonNode node) {
        return write(YAML, node);
    }

    private static String write(ObjectMapper mapper, JsonNode node) {
        try {
            return mapper.writeValueAsString(node).stripTrailing();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
