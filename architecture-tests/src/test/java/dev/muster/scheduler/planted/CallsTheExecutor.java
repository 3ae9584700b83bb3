package dev.muster.scheduler.planted;

import dev.muster.executor.planted.EntryPoint;

/** A service that uses another; the rules are tried on it. */
public final class CallsTheExecutor {
    private CallsTheExecutor() {}

    static void call() {
        EntryPoint.run();
    }
}
