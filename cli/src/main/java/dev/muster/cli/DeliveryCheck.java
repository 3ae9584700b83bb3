package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import dev.muster.cli.JournalFacts.Fact;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Holds what the demos' receivers wrote down against the journal: every event that was told is a
 * fact, every fact of the kinds that were subscribed was told, and a webhook's id never stands for
 * two events.
 */
final class DeliveryCheck {

    /** What one receiver wrote down. */
    private record Told(List<JsonNode> deliveries, Set<String> jobs) {}

    private final Map<String, Told> files = new TreeMap<>();

    /**
     * @throws IOException if a file cannot be read
     */
    static DeliveryCheck of(Path directory) throws IOException {
        DeliveryCheck check = new DeliveryCheck();
        if (Files.isDirectory(directory)) {
            try (Stream<Path> found = Files.list(directory)) {
                for (Path file : found.toList()) {
                    check.read(file);
                }
            }
        }
        return check;
    }

    private void read(Path file) throws IOException {
        List<JsonNode> deliveries = new ArrayList<>();
        Set<String> jobs = new HashSet<>();
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            JsonNode delivery = Documents.tryJson(line);
            if (!id(delivery).isEmpty()) { // empty: the receiver was killed while it wrote
                deliveries.add(delivery);
                jobs.add(subject(delivery));
            }
        }
        files.put(file.getFileName().toString(), new Told(deliveries, jobs));
    }

    private static String id(JsonNode delivery) {
        return delivery.path("event").path("id").asText();
    }

    private static String subject(JsonNode delivery) {
        return delivery.path("event").path("subject").asText();
    }

    /** Whether a fact is one that a receiver was to be told. */
    boolean concerns(Fact fact) {
        return DemoProof.told().contains(fact.type())
                && files.values().stream().anyMatch(told -> told.jobs.contains(fact.job()));
    }

    /** What does not hold, given all facts that concern a receiver. */
    List<String> against(List<Fact> facts) {
        Map<Long, Fact> bySeq = new HashMap<>();
        facts.forEach(fact -> bySeq.put(fact.seq(), fact));
        List<String> wrong = new ArrayList<>();
        files.forEach((name, told) -> check(name, told, bySeq, wrong));
        return wrong;
    }

    private static void check(String name, Told told, Map<Long, Fact> facts, List<String> wrong) {
        Set<Long> seqs = new HashSet<>();
        Map<String, Long> byWebhook = new HashMap<>();
        for (JsonNode each : told.deliveries) {
            long seq = DemoProof.seq(each.path("event"));
            seqs.add(seq);
            Fact fact = facts.get(seq);
            if (fact == null
                    || !fact.type().equals(EventLine.type(each.path("event")))
                    || !fact.job().equals(subject(each))) {
                wrong.add(name + " tells of " + id(each) + ", which is no such fact");
            }
            Long before = byWebhook.putIfAbsent(each.path("webhookId").asText(), seq);
            if (before != null && before != seq) {
                wrong.add("%s has one webhook id for %d and %d".formatted(name, before, seq));
            }
        }
        facts.values().stream()
                .filter(fact -> told.jobs.contains(fact.job()) && !seqs.contains(fact.seq()))
                .forEach(fact -> wrong.add(name + " lacks " + fact));
    }

    /** Deliveries written down, repeats included. */
    int deliveries() {
        return files.values().stream().mapToInt(told -> told.deliveries.size()).sum();
    }
}
