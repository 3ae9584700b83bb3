package dev.muster.cli;

import java.util.concurrent.CountDownLatch;

/** Lets a server's main thread wait until the process is asked to end. */
final class UntilStopped {

    private final CountDownLatch stopped = new CountDownLatch(1);

    private UntilStopped() {}

    /** Runs the action on SIGTERM or SIGINT, before the process ends. */
    static UntilStopped then(String threadName, Runnable action) {
        UntilStopped waiting = new UntilStopped();
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .name(threadName)
                                .unstarted(() -> {
                                    action.run();
                                    waiting.stopped.countDown();
                                }));
        return waiting;
    }

    void await() {
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
