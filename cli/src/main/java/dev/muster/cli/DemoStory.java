package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Tells the life of one job as it happens, and remembers when what happened. */
final class DemoStory {

    private static final int STEP_LINES_BETWEEN = 2;

    private final ApiClient api;
    private final String job;
    private final Consumer<String> say;
    private final Map<String, Instant> first = new HashMap<>();
    private JsonNode placements = JsonNodeFactory.instance.arrayNode();
    private int attempts;
    private @Nullable Thread steps;

    DemoStory(ApiClient api, String job, Consumer<String> say) {
        this.api = api;
        this.job = job;
        this.say = say;
    }

    void tell() {
        say.accept("job " + job);
        new JobEvents(api, Optional.of(job), Optional.of("0"))
                .follow(event -> {
                    hear(event);
                    return !WatchCommand.endsJob(event);
                });
        Thread reader = steps;
        if (reader != null) {
            reader.interrupt();
        }
    }

    private void hear(JsonNode event) {
        String type = EventLine.type(event);
        Instant time = Instant.parse(event.path("time").asText());
        first.putIfAbsent(type, time);
        JsonNode data = event.path("data");
        String line =
                switch (type) {
                    case "JobSubmitted" -> "accepted";
                    case "JobQueued" -> "queued";
                    case "JobWaiting" -> "waits";
                    case "GangGranted" -> granted(data);
                    case "InstancePrepared" -> "code and data are in, instance " + index(data);
                    case "JobStarting" -> "all instances start";
                    case "InstanceStarted" -> "process started, instance " + index(data);
                    case "JobStarted" -> running();
                    case "InstanceExited" ->
                            "process ended with code "
                                    + data.path("exitCode").asText()
                                    + ", instance "
                                    + index(data);
                    case "JobFinishing" -> "finishing: outputs are carried out a last time";
                    case "InstanceGone" -> "instance " + index(data) + " is gone";
                    case "GangReleased" -> "nodes are free again";
                    case "JobSucceeded" -> "succeeded";
                    case "JobFailed", "JobStopped" -> EventLine.of(event);
                    default -> type;
                };
        say.accept(EventLine.time(event) + "  " + line);
    }

    private static String index(JsonNode data) {
        return data.path("index").asText();
    }

    private String granted(JsonNode data) {
        attempts = Math.max(attempts, data.path("attempt").asInt());
        placements = data.path("placements");
        return "placed as attempt " + attempts + " on " + EventLine.placements(placements);
    }

    private String running() {
        steps = Thread.ofVirtual().name("demo-steps").start(this::readSteps);
        return "running";
    }

    private void readSteps() {
        String path =
                new Query(Jobs.path(job) + "/instances/0/logs").with("follow", true).toString();
        int seen = 0;
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(api.stream(path), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("step=") || seen++ % STEP_LINES_BETWEEN == 0) {
                    say.accept("              | " + line);
                }
            }
        } catch (IOException | CommandFailure e) {
            // the story goes on without the log
        }
    }

    String job() {
        return job;
    }

    int attempts() {
        return attempts;
    }

    JsonNode placements() {
        return placements;
    }

    /** When it first happened. */
    Optional<Instant> at(String type) {
        return Optional.ofNullable(first.get(type));
    }
}
