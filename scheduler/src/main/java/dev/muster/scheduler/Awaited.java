package dev.muster.scheduler;

import dev.muster.platform.sql.StatementFailed;

import io.vertx.core.Future;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for a future on one of this module's platform threads. Never called on an event loop. */
final class Awaited {

    /** Longer than any statement may take: the server's and the writer's timeouts come first. */
    private static final long LIMIT_SECONDS = 660;

    private Awaited() {}

    /**
     * @throws StatementFailed as the future failed
     */
    static <T> T get(Future<T> future) throws InterruptedException {
        try {
            return future.toCompletionStage()
                    .toCompletableFuture()
                    .get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("no outcome within " + LIMIT_SECONDS + " s", e);
        }
    }
}
