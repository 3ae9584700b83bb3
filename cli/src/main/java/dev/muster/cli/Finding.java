package dev.muster.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What one check of {@code muster doctor} found.
 *
 * @param check short, such as {@code disk.space}
 * @param measured the value that was found
 * @param threshold the value from which on it is wrong; empty where nothing is compared
 * @param advice what to do; empty unless something is wrong
 */
record Finding(String check, Verdict verdict, String measured, String threshold, String advice) {

    /** How a check came out. */
    enum Verdict {
        WELL,
        WRONG,
        SKIPPED
    }

    static Finding well(String check, String measured, String threshold) {
        return new Finding(check, Verdict.WELL, measured, threshold, "");
    }

    static Finding wrong(String check, String measured, String threshold, String advice) {
        return new Finding(check, Verdict.WRONG, measured, threshold, advice);
    }

    static Finding of(
            boolean holds, String check, String measured, String threshold, String advice) {
        return holds ? well(check, measured, threshold) : wrong(check, measured, threshold, advice);
    }

    static Finding skipped(String check, String why) {
        return new Finding(check, Verdict.SKIPPED, why, "", "");
    }

    boolean isWrong() {
        return verdict == Verdict.WRONG;
    }

    String line() {
        String head = "%-7s %-28s %s".formatted(word(), check, measured);
        String limit = threshold.isEmpty() ? "" : " (" + threshold + ")";
        return advice.isEmpty() ? head + limit : head + limit + "\n        → " + advice;
    }

    private String word() {
        return switch (verdict) {
            case WELL -> "well";
            case WRONG -> "WRONG";
            case SKIPPED -> "not run";
        };
    }

    ObjectNode json() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("check", check)
                .put("verdict", verdict.name())
                .put("measured", measured)
                .put("threshold", threshold)
                .put("advice", advice);
    }
}
