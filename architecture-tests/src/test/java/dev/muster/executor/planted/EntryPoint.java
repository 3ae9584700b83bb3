package dev.muster.executor.planted;

/** Stands for a service's entry point. */
public final class EntryPoint {
    private EntryPoint() {}

    /** Does nothing. */
    public static void run() {}
}
