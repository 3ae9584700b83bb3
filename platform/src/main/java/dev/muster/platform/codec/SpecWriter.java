package dev.muster.platform.codec;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;

import dev.muster.domain.JobSpec;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;

/** Writes the canonical form: sorted keys, every default filled in, absent texts left out. */
final class SpecWriter {

    private static final JsonFactory FACTORY = new JsonFactory();

    private final JsonGenerator json;

    private SpecWriter(JsonGenerator json) {
        this.json = json;
    }

    static byte[] write(JobSpec spec) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(2_048);
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            new SpecWriter(json).spec(spec);
        } catch (IOException e) {
            throw new UncheckedIOException("a buffer in memory takes every byte", e);
        }
        return out.toByteArray();
    }

    private void spec(JobSpec spec) throws IOException {
        json.writeStartObject();
        json.writeNumberField("autoStopHours", spec.autoStopHours());
        optional("bootFile", spec.code().bootFile());
        optional("codeDir", spec.code().codeDir());
        optional("command", spec.command());
        json.writeStringField("description", spec.description());
        environment(spec.environment());
        json.writeStringField("framework", word(spec.framework()));
        inputs(spec);
        json.writeNumberField("instances", spec.instances());
        json.writeStringField("localCodeDir", spec.code().localCodeDir());
        optional("logPath", spec.logPath());
        json.writeStringField("name", spec.name());
        outputs(spec);
        parameters(spec);
        json.writeStringField("pool", spec.pool().value());
        if (spec.preemptible()) {
            json.writeBooleanField("preemptible", true);
        }
        json.writeNumberField("priority", spec.priority());
        json.writeStringField("project", spec.project().value());
        json.writeStringField("queue", spec.queue().value());
        recovery(spec.recovery());
        resources(spec.resources());
        optional("workingDir", spec.code().workingDir());
        json.writeEndObject();
    }

    private void environment(Map<String, String> environment) throws IOException {
        json.writeObjectFieldStart("environment");
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            json.writeStringField(variable.getKey(), variable.getValue());
        }
        json.writeEndObject();
    }

    private void inputs(JobSpec spec) throws IOException {
        json.writeArrayFieldStart("inputs");
        for (JobSpec.InputSpec input : spec.inputs()) {
            json.writeStartObject();
            json.writeStringField("access", word(input.access()));
            json.writeStringField("name", input.name());
            json.writeStringField("source", input.source());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void outputs(JobSpec spec) throws IOException {
        json.writeArrayFieldStart("outputs");
        for (JobSpec.OutputSpec output : spec.outputs()) {
            json.writeStartObject();
            json.writeStringField("access", word(output.access()));
            json.writeStringField("name", output.name());
            json.writeBooleanField("preDownload", output.preDownload());
            json.writeStringField("target", output.target());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void parameters(JobSpec spec) throws IOException {
        json.writeArrayFieldStart("parameters");
        for (JobSpec.Parameter parameter : spec.parameters()) {
            json.writeStartObject();
            json.writeStringField("name", parameter.name());
            json.writeStringField("value", parameter.value());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** Left out when all of it is off: such a specification's form is that of the first version. */
    private void recovery(JobSpec.Recovery recovery) throws IOException {
        if (recovery.equals(JobSpec.Recovery.OFF)) {
            return;
        }
        json.writeObjectFieldStart("recovery");
        json.writeBooleanField("autoRestart", recovery.autoRestart());
        json.writeArrayFieldStart("failurePatterns");
        for (String pattern : recovery.failurePatterns()) {
            json.writeString(pattern);
        }
        json.writeEndArray();
        json.writeBooleanField("hangRestart", recovery.hangRestart());
        json.writeNumberField("hangSilenceSeconds", recovery.hangSilenceSeconds());
        if (recovery.autoRestart()) {
            json.writeNumberField("maxRestarts", recovery.maxRestarts());
        }
        json.writeNumberField("startupSeconds", recovery.startupSeconds());
        json.writeBooleanField("unconditionalRestart", recovery.unconditionalRestart());
        json.writeEndObject();
    }

    private void resources(JobSpec.ResourceAsk resources) throws IOException {
        json.writeObjectFieldStart("resources");
        json.writeStringField("acceleratorModel", resources.accelerator());
        json.writeFieldName("accelerators");
        json.writeNumber(decimal(resources.amount().acceleratorThousandths()));
        json.writeStringField("cpu", resources.amount().cpuMillis() + "m");
        json.writeStringField("memory", resources.amount().memoryMebibytes() + "Mi");
        json.writeEndObject();
    }

    /** Thousandths as a decimal number: {@code 2}, {@code 0.5}, {@code 0.125}. */
    static String decimal(int thousandths) {
        int whole = thousandths / 1000;
        int rest = thousandths % 1000;
        if (rest == 0) {
            return Integer.toString(whole);
        }
        String digits = Integer.toString(1000 + rest).substring(1);
        while (digits.endsWith("0")) {
            digits = digits.substring(0, digits.length() - 1);
        }
        return whole + "." + digits;
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private void optional(String name, @Nullable String value) throws IOException {
        if (value != null) {
            json.writeStringField(name, value);
        }
    }
}
