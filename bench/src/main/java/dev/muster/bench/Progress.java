package dev.muster.bench;

/** What a benchmark does at the moment, on standard error. */
final class Progress {

    private Progress() {}

    static void say(String format, Object... values) {
        System.err.println("bench: " + format.formatted(values));
    }
}
