package dev.muster.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was checked, with figures, and what does not hold. */
final class VerifyReport {

    private static final int MAX_FINDINGS = 100;

    private final Map<String, Object> figures = new LinkedHashMap<>();
    private final List<String> checks = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();

    void figure(String name, Object value) {
        figures.put(name, value);
    }

    /** A check was made, with what it found wrong: nothing, if it holds. */
    void check(String name, List<String> wrong) {
        checks.add((wrong.isEmpty() ? "holds   " : "BROKEN  ") + name);
        wrong.stream()
                .limit(Math.max(0, MAX_FINDINGS - findings.size()))
                .forEach(finding -> findings.add(name + ": " + finding));
    }

    /** A check that cannot be made, and why. */
    void skipped(String name, String why) {
        checks.add("not run " + name + ": " + why);
    }

    boolean sound() {
        return findings.isEmpty();
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(checks);
        figures.forEach((name, value) -> lines.add("%-22s %s".formatted(name, value)));
        findings.forEach(finding -> lines.add("! " + finding));
        return lines;
    }

    String json() {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("sound", sound());
        figures.forEach((name, value) -> line.putPOJO(name, value));
        ArrayNode wrong = line.putArray("findings");
        findings.forEach(wrong::add);
        ArrayNode made = line.putArray("checks");
        checks.forEach(made::add);
        return line.toString();
    }
}
