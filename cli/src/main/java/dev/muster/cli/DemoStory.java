package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Tells the life of one job as it happens, and remembers when what happened. */
final class DemoStory {

    private static final int STEP_LINES_BETWEEN = 2;
    private static final String RESUMED = "resumed from step ";

    private final ApiClient api;
    private final String job;
    private final Consumer<String> say;
    private final Map<String, Instant> first = new HashMap<>();
    private JsonNode placements = JsonNodeFactory.instance.arrayNode();
    private final Map<String, Integer> restarts = new TreeMap<>();
    private final Map<String, String> evidence = new TreeMap<>();
    private volatile @Nullable Instant lastStep;
    private volatile @Nullable Instant lastStepBeforeHang;
    private volatile @Nullable Integer resumedFromStep;
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
        if (resumedFromStep == null) {
            readLog(false, this::hearLog); // the stream may have broken off before
        }
    }

    private void hear(JsonNode event) {
        String type = EventLine.type(event);
        Instant time = Instant.parse(event.path("time").asText());
        first.putIfAbsent(type, time);
        JsonNode data = event.path("data");
        remember(type, data);
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
                    default ->
                            RecoveryWords.of(type, data).isEmpty()
                                    ? type
                                    : RecoveryWords.of(type, data);
                };
        say.accept(EventLine.time(event) + "  " + line);
    }

    private void remember(String type, JsonNode data) {
        switch (type) {
            case "JobHanged" -> lastStepBeforeHang = lastStep;
            case "JobRestarted" -> restarts.merge(data.path("tier").asText(), 1, Integer::sum);
            case "EvidenceKept" ->
                    evidence.put(data.path("index").asText(), data.path("location").asText());
            default -> {
                // the line is all there is to it
            }
        }
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
        int[] steps = {0};
        readLog(
                true,
                line -> {
                    hearLog(line);
                    if (!line.startsWith("step=") || steps[0]++ % STEP_LINES_BETWEEN == 0) {
                        say.accept("              | " + line);
                    }
                });
    }

    private void readLog(boolean follow, Consumer<String> hears) {
        String path =
                new Query(Jobs.path(job) + "/instances/0/logs").with("follow", follow).toString();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(api.stream(path), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                hears.accept(line);
            }
        } catch (IOException | CommandFailure e) {
            // the story goes on without the log
        }
    }

    private void hearLog(String line) {
        lastStep = Instant.now();
        if (line.startsWith(RESUMED)) {
            resumedFromStep = Integer.valueOf(line.substring(RESUMED.length()).strip());
        }
    }

    String job() {
        return job;
    }

    /** Restarts that succeeded. */
    int restarts() {
        return restarts.values().stream().mapToInt(Integer::intValue).sum();
    }

    int restarts(String tier) {
        return restarts.getOrDefault(tier, 0);
    }

    /** Index of an instance → where its evidence lies. */
    Map<String, String> evidence() {
        return evidence;
    }

    /** As the training says itself. */
    Optional<Integer> resumedFromStep() {
        return Optional.ofNullable(resumedFromStep);
    }

    /** From the last line of the log to the verdict. */
    Optional<Duration> detection() {
        return Optional.ofNullable(lastStepBeforeHang)
                .flatMap(last -> at("JobHanged").map(found -> Duration.between(last, found)));
    }

    /** From the verdict until everything runs again. */
    Optional<Duration> restart() {
        return at("JobHanged")
                .flatMap(found -> at("JobRestarted").map(again -> Duration.between(found, again)));
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
