package dev.muster.cli;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.muster.embedded.EmbeddedServers;

import org.awaitility.core.ConditionTimeoutException;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A data directory of a test's own, the processes on it, and what a user may ask of it. */
final class Installation implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Path directory;
    private final List<MusterProcess> processes = new ArrayList<>();

    Installation() throws IOException {
        this(Files.createTempDirectory("muster-e2e"));
    }

    Installation(Path directory) {
        this.directory = directory;
    }

    Path directory() {
        return directory;
    }

    MusterProcess run(Map<String, String> environment, String... arguments) throws IOException {
        MusterProcess process = MusterProcess.start(directory, environment, arguments);
        processes.add(process);
        return process;
    }

    MusterProcess up(String... settings) throws IOException {
        return up(Map.of(), settings);
    }

    /** {@code muster up} that serves. */
    MusterProcess up(Map<String, String> environment, String... settings) throws IOException {
        Files.deleteIfExists(directory.resolve("url"));
        List<String> arguments = new ArrayList<>(List.of("up"));
        for (String setting : settings) {
            arguments.addAll(List.of("-c", setting));
        }
        MusterProcess process = run(environment, arguments.toArray(String[]::new));
        awaitServing(process);
        return process;
    }

    /** Waits until the gateway serves or the process has ended, as one that is to crash may. */
    void awaitServing(MusterProcess process) {
        try {
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> !process.alive() || serves());
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("nothing serves: " + process.output(), e);
        }
    }

    boolean serves() {
        if (!Files.exists(directory.resolve("url"))) {
            return false;
        }
        try (ApiClient api = api()) {
            return api.ready();
        }
    }

    ApiClient api() {
        return new ApiClient(
                URI.create(
                        DataDirectory.line(directory.resolve("url")).orElse("http://127.0.0.1:1")),
                DataDirectory.line(directory.resolve("token")).orElse("none"));
    }

    static ObjectNode shellJob(String name, int instances, String command) {
        ObjectNode spec = JsonNodeFactory.instance.objectNode();
        spec.put("name", name).put("instances", instances).put("command", command);
        spec.putObject("resources").put("accelerators", 1);
        return spec;
    }

    String submit(ObjectNode spec) {
        try (ApiClient api = api()) {
            return api.post(Jobs.PATH, spec.toString()).path("id").asText();
        }
    }

    JsonNode job(String id) {
        try (ApiClient api = api()) {
            return api.get(Jobs.path(id));
        }
    }

    String state(String id) {
        return job(id).path("state").asText();
    }

    void awaitState(String id, String... states) {
        awaitState(PATIENCE, id, states);
    }

    void awaitState(Duration patience, String id, String... states) {
        await("state of " + id)
                .atMost(patience)
                .pollInterval(Duration.ofMillis(100))
                .ignoreExceptions()
                .until(() -> List.of(states).contains(state(id)));
    }

    /** What a command of the CLI did. */
    record Said(int exitCode, String out, String err) {}

    Said muster(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--data-dir", directory.toString()));
        return command(all.toArray(String[]::new));
    }

    static Said command(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code =
                Main.commandLine()
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute(arguments);
        return new Said(code, out.toString(), err.toString());
    }

    @Override
    public void close() throws IOException {
        for (MusterProcess each : processes.reversed()) {
            each.close();
        }
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> EmbeddedServers.discard(directory));
    }
}
