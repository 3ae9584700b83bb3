package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What came of the demo: for people and for scripts. */
final class DemoResult {

    private final DemoStory story;
    private final JsonNode job;
    private final SampleJob sample;
    private final DemoProof proof;

    DemoResult(DemoStory story, JsonNode job, SampleJob sample, DemoProof proof) {
        this.story = story;
        this.job = job;
        this.sample = sample;
        this.proof = proof;
    }

    /** Each part of the job's life in milliseconds, in order. */
    private Map<String, Long> times() {
        Map<String, Long> times = new LinkedHashMap<>();
        put(times, "commandToRunning", processStart(), story.at("JobStarted"));
        put(times, "queued", story.at("JobSubmitted"), story.at("GangGranted"));
        put(times, "dataIn", story.at("GangGranted"), story.at("JobStarting"));
        put(times, "starting", story.at("JobStarting"), story.at("JobStarted"));
        story.detection().ifPresent(time -> times.put("hangFound", time.toMillis()));
        story.restart().ifPresent(time -> times.put("restart", time.toMillis()));
        put(times, "running", story.at("JobStarted"), story.at("JobFinishing"));
        put(times, "finishing", story.at("JobFinishing"), story.at("JobSucceeded"));
        put(times, "total", story.at("JobSubmitted"), story.at("JobSucceeded"));
        return times;
    }

    /** When the command was given: the launcher becomes this process. */
    private static Optional<Instant> processStart() {
        return ProcessHandle.current().info().startInstant();
    }

    private static void put(
            Map<String, Long> times, String name, Optional<Instant> from, Optional<Instant> to) {
        if (from.isPresent() && to.isPresent()) {
            times.put(name, Duration.between(from.get(), to.get()).toMillis());
        }
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("state      " + job.path("state").asText() + suffix(Jobs.why(job)));
        lines.add("placement  " + EventLine.placements(story.placements()));
        lines.add("accuracy   " + sample.metrics().path("accuracy").asText("unknown"));
        lines.add("outputs    " + sample.outputs());
        sample.hashes()
                .forEach((name, hash) ->
                        lines.add("           " + hash.substring(0, 16) + "  " + name));
        proof.evidence().forEach((index, where) -> lines.add("stacks     " + index + ": " + where));
        lines.add(
                "restarts   %d in place, resumed from step %s"
                        .formatted(
                                story.restarts("PROCESS"),
                                story.resumedFromStep().map(String::valueOf).orElse("unknown")));
        lines.add("deliveries " + proof.deliveries().size() + ", signatures verified");
        times().forEach((name, millis) ->
                lines.add("%-18s %8.3f s".formatted(name, millis / 1000.0)));
        return lines;
    }

    private static String suffix(String why) {
        return why.isEmpty() ? "" : ": " + why;
    }

    String json() {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("job", story.job());
        line.put("state", job.path("state").asText());
        line.put("attempts", story.attempts());
        line.set("placement", story.placements());
        line.put("process_restarts", story.restarts("PROCESS"));
        story.resumedFromStep().ifPresent(step -> line.put("resumed_from_step", step));
        line.put("deliveries", proof.deliveries().size());
        story.detection().ifPresent(time -> line.put("detect_ms", time.toMillis()));
        story.restart().ifPresent(time -> line.put("restart_ms", time.toMillis()));
        line.set("accuracy", sample.metrics().path("accuracy"));
        line.put("outputs", sample.outputs().toString());
        ObjectNode hashes = line.putObject("outputHashes");
        sample.hashes().forEach(hashes::put);
        ObjectNode times = line.putObject("timesMillis");
        times().forEach(times::put);
        return line.toString();
    }
}
