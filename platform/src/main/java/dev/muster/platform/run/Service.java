package dev.muster.platform.run;

import io.vertx.core.Future;

/** A part of Muster that runs in one JVM with the others or as its own process. */
public interface Service {

    /** gateway, scheduler, executor, … */
    String role();

    /**
     * Completes when the service serves. A failure's message is one sentence for the user; what was
     * begun is undone by {@link #stop}.
     */
    Future<Void> start(ServiceContext context);

    /** Also called after a start that failed; leaves nothing behind. */
    Future<Void> stop();
}
