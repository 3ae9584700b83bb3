package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Whether the demo went as it was meant to: hung once, found, evidence kept of all instances,
 * restarted in place, resumed from a checkpoint, and told to whoever subscribed.
 */
final class DemoProof {

    private static final long DELIVERY_SECONDS = 30;
    private static final Set<String> TOLD =
            Set.of("JobStarted", "JobHanged", "JobRestarted", "JobSucceeded");

    private final DemoStory story;
    private final DemoReceiver receiver;
    private final Path store;

    DemoProof(DemoStory story, DemoReceiver receiver, Path store) {
        this.story = story;
        this.receiver = receiver;
        this.store = store;
    }

    /** What is told to the receiver. */
    static Set<String> told() {
        return new TreeSet<>(TOLD);
    }

    /** The last delivery may come a little after the event. */
    void awaitDeliveries() {
        long deadline = System.nanoTime() + DELIVERY_SECONDS * 1_000_000_000L;
        while (!missing().isEmpty() && System.nanoTime() < deadline) {
            Awaiting.pause();
        }
    }

    private Set<String> missing() {
        Set<String> missing = told();
        deliveries().forEach(event -> missing.remove(EventLine.type(event)));
        return missing;
    }

    List<JsonNode> deliveries() {
        return receiver.about(story.job());
    }

    /** What was not as it was meant to be; empty if all was. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (story.restarts("PROCESS") != 1 || story.restarts() != 1) {
            problems.add("the job was not restarted once, in place");
        }
        if (story.resumedFromStep().isEmpty()) {
            problems.add("the training did not say that it resumed from a step");
        }
        if (story.evidence().size() != story.placements().size()) {
            problems.add(
                    "evidence was kept of %d instances instead of %d"
                            .formatted(story.evidence().size(), story.placements().size()));
        }
        story.evidence()
                .forEach((index, location) -> {
                    if (!holdsStacks(store, location)) {
                        problems.add("the evidence of instance " + index + " holds no stacks");
                    }
                });
        deliveryProblems(problems);
        return problems;
    }

    private void deliveryProblems(List<String> problems) {
        Set<String> missing = missing();
        if (!missing.isEmpty()) {
            problems.add(
                    "deliveries did not arrive: "
                            + String.join(", ", missing)
                            + " (a Muster that was started before needs"
                            + " -c notifier.allowedNetworks=127.0.0.0/8)");
        }
        if (receiver.refused() > 0) {
            problems.add(receiver.refused() + " deliveries bore no valid signature");
        }
        List<Long> seqs = deliveries().stream().map(DemoProof::seq).toList();
        if (!seqs.equals(seqs.stream().sorted().toList())) {
            problems.add("deliveries came out of order: " + seqs);
        }
    }

    /** The id of an event is its pool and its seq. */
    static long seq(JsonNode event) {
        String id = event.path("id").asText();
        return Long.parseLong(id.substring(id.lastIndexOf('-') + 1));
    }

    /** Whether what was kept tells of threads. */
    static boolean holdsStacks(Path store, String location) {
        return evidenceFile(store, location)
                .filter(file -> {
                    try {
                        return Files.readString(file).contains("thread ");
                    } catch (IOException e) {
                        return false;
                    }
                })
                .isPresent();
    }

    /** Where {@code obs://bucket/key} lies below the folder store of this machine. */
    static Optional<Path> evidenceFile(Path store, String location) {
        String scheme = "obs://";
        return location.startsWith(scheme)
                ? Optional.of(store.resolve(location.substring(scheme.length())))
                : Optional.empty();
    }

    Map<String, String> evidence() {
        return story.evidence();
    }
}
