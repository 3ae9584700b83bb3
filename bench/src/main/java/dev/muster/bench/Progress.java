package dev.muster.bench;

/** What a benchmark does at the moment, on standard error. */
final class Progress {

    private Progress() {}

    static void say(String line) {
        System.err.println("bench: " + line);
    }
}
