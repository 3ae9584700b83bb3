package dev.muster.embedded;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Starts a server again that ended on its own, at a bounded rate, until it is closed. */
final class Restarts {
    private static final Logger LOG = LoggerFactory.getLogger(Restarts.class);
    private static final long FIRST_DELAY_MILLIS = 200;
    private static final long LONGEST_DELAY_MILLIS = 5_000;
    private static final long CLOSE_LIMIT_SECONDS = 60;

    private final String server;
    private final Runnable start;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor thread;
    private volatile @Nullable String trouble;

    Restarts(String server, Runnable start) {
        this.server = server;
        this.start = start;
        this.thread =
                new ScheduledThreadPoolExecutor(
                        1,
                        task ->
                                Thread.ofPlatform()
                                        .daemon()
                                        .name("embedded-restarts")
                                        .unstarted(task));
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    Optional<String> trouble() {
        return Optional.ofNullable(trouble);
    }

    /** Starts the server again when this completes. */
    void when(CompletableFuture<?> end, String sentence) {
        CompletableFuture<Void> _ =
                end.handle((_, _) -> {
                    if (!closed.get()) {
                        trouble = sentence;
                        LOG.warn("{} It is started again.", sentence);
                        schedule(FIRST_DELAY_MILLIS);
                    }
                    return null;
                });
    }

    private void schedule(long delayMillis) {
        try {
            ScheduledFuture<?> _ =
                    thread.schedule(() -> attempt(delayMillis), delayMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("{} is being stopped", server, e);
        }
    }

    private void attempt(long delayMillis) {
        if (closed.get()) {
            return;
        }
        try {
            start.run();
            trouble = null;
            LOG.info("{} runs again", server);
        } catch (EmbeddedServerException e) {
            if (!String.valueOf(e.getMessage()).equals(trouble)) {
                LOG.warn("{}", e.getMessage());
            }
            trouble = e.getMessage();
            schedule(Math.min(delayMillis * 2, LONGEST_DELAY_MILLIS));
        } catch (RuntimeException | Error e) {
            trouble = server + " could not be started again: " + e + ".";
            LOG.error("{}", trouble, e);
            schedule(LONGEST_DELAY_MILLIS);
        }
    }

    /** Ends the restarts and waits for one under way; false when that was done before. */
    boolean close() {
        if (!closed.compareAndSet(false, true)) {
            return false;
        }
        thread.shutdown();
        try {
            if (!thread.awaitTermination(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException _) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
        return true;
    }
}
