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
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Holds what the demos' receivers wrote down against the journal of one pool: every event that was
 * told is a fact, in order, and a webhook's id never stands for two events. Of a demo that came to
 * its end, every fact was told, and its job hung once, left evidence of all its instances, and was
 * restarted once, in place.
 */
final class DeliveryCheck {

    private static final String EVIDENCE = "EvidenceKept";

    private final String pool;
    private final Path store;
    private final Map<String, List<JsonNode>> files = new TreeMap<>();
    private final Map<String, List<Fact>> factsByJob = new HashMap<>();
    private final Map<Long, Fact> facts = new HashMap<>();

    private DeliveryCheck(String pool, Path store) {
        this.pool = pool;
        this.store = store;
    }

    /**
     * @param store where evidence lies on this machine
     * @throws IOException if a file cannot be read
     */
    static DeliveryCheck of(String pool, Path directory, Path store) throws IOException {
        DeliveryCheck check = new DeliveryCheck(pool, store);
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
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            lines.add(Documents.tryJson(line)); // the last may be cut: its writer was killed
        }
        files.put(file.getFileName().toString(), lines);
    }

    private static String id(JsonNode delivery) {
        return delivery.path("event").path("id").asText();
    }

    private boolean isOurs(JsonNode delivery) {
        return id(delivery).startsWith(pool + "-");
    }

    private static String subject(JsonNode delivery) {
        return delivery.path("event").path("subject").asText();
    }

    /** Types of the facts that are wanted. */
    static Set<String> types() {
        Set<String> types = new TreeSet<>(DemoProof.told());
        types.add(EVIDENCE);
        return types;
    }

    /** Takes a fact of the pool; those that no receiver was told of are not kept. */
    void take(Fact fact) {
        boolean concerns =
                files.values().stream()
                        .flatMap(List::stream)
                        .anyMatch(line ->
                                line.path("job").asText().equals(fact.job())
                                        || subject(line).equals(fact.job()));
        if (concerns) {
            facts.put(fact.seq(), fact);
            factsByJob.computeIfAbsent(fact.job(), _ -> new ArrayList<>()).add(fact);
        }
    }

    /** What does not hold. */
    List<String> wrong() {
        List<String> wrong = new ArrayList<>();
        files.forEach((name, lines) -> {
            Set<Long> told = told(name, lines, wrong);
            JsonNode head = lines.isEmpty() ? Documents.tryJson("") : lines.getFirst();
            boolean complete = lines.stream().anyMatch(line -> line.path("complete").asBoolean());
            if (complete && head.path("pool").asText().equals(pool)) {
                ended(name, head, told, wrong);
            }
        });
        return wrong;
    }

    private Set<Long> told(String name, List<JsonNode> lines, List<String> wrong) {
        Set<Long> seqs = new HashSet<>();
        Map<String, Long> latest = new HashMap<>();
        Map<String, Long> byWebhook = new HashMap<>();
        for (JsonNode each : lines.stream().filter(this::isOurs).toList()) {
            long seq = DemoProof.seq(each.path("event"));
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
            if (seqs.add(seq) && latest.merge(subject(each), seq, Math::max) != seq) {
                wrong.add(name + " was told of " + id(each) + " after a later event of its job");
            }
        }
        return seqs;
    }

    private void ended(String name, JsonNode head, Set<Long> told, List<String> wrong) {
        List<Fact> ofJob = factsByJob.getOrDefault(head.path("job").asText(), List.of());
        int hangs = 0;
        List<String> restarts = new ArrayList<>();
        Set<Integer> evidence = new HashSet<>();
        for (Fact each : ofJob) {
            switch (each.type()) {
                case EVIDENCE -> {
                    if (DemoProof.holdsStacks(store, each.data().path("location").asText())) {
                        evidence.add(each.data().path("index").asInt());
                    }
                }
                case "JobHanged" -> hangs++;
                case "JobRestarted" -> restarts.add(each.data().path("tier").asText());
                default -> {
                    // told like the others
                }
            }
            if (!each.type().equals(EVIDENCE) && !told.contains(each.seq())) {
                wrong.add(name + " lacks " + each);
            }
        }
        if (hangs != 1 || !restarts.equals(List.of("PROCESS"))) {
            wrong.add(
                    "%s: its job hung %d times and was restarted by %s"
                            .formatted(name, hangs, restarts));
        }
        if (evidence.size() != head.path("instances").asInt()) {
            wrong.add(name + ": stacks are kept of the instances " + evidence + " alone");
        }
    }

    /** Deliveries written down, repeats included. */
    long deliveries() {
        return files.values().stream().flatMap(List::stream).filter(this::isOurs).count();
    }
}
