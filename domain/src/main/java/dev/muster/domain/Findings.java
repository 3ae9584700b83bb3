package dev.muster.domain;

import java.util.ArrayList;
import java.util.List;

/** Broken rules as they are found, with the limits that they are measured by. */
final class Findings {

    private final Limits limits;
    private final List<Violation> found = new ArrayList<>();
    private final int most;

    Findings(Limits limits) {
        this.limits = limits;
        this.most = limits.get(Limit.VIOLATIONS);
    }

    int limit(Limit limit) {
        return limits.get(limit);
    }

    void add(String path, Object value, String rule, String allowed) {
        if (found.size() < most) {
            found.add(Violation.of(path, value, rule, allowed));
        }
    }

    void within(String path, long value, long least, long greatest) {
        if (value < least || value > greatest) {
            add(path, value, "is out of range", least + ".." + greatest);
        }
    }

    void atMost(String path, String text, Limit limit) {
        atMost(path, text, text, limit);
    }

    /** As above for a text that is not to be shown, since it may be a secret. */
    void secretAtMost(String path, String text, Limit limit) {
        atMost(path, text, "(not shown)", limit);
    }

    private void atMost(String path, String text, String shown, Limit limit) {
        if (text.length() > limits.get(limit)) {
            add(
                    path,
                    shown,
                    "is too long with " + text.length() + " characters",
                    "at most " + limits.get(limit) + " characters");
        }
    }

    /** Whether the list is short enough; a longer one is one finding. */
    void countAtMost(String path, int count, Limit limit) {
        if (count > limits.get(limit)) {
            add(path, count, "has too many entries", "at most " + limits.get(limit));
        }
    }

    List<Violation> list() {
        return List.copyOf(found);
    }
}
