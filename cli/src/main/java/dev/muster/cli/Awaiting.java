package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import java.time.Duration;

/** Waits until the read model shows what the event stream has told already. */
final class Awaiting {

    private static final Duration READ_MODEL_LAG = Duration.ofSeconds(30);
    private static final long PAUSE_MILLIS = 100;

    private Awaiting() {}

    /** The job in its terminal state. */
    static JsonNode end(ApiClient api, String job) {
        long deadline = System.nanoTime() + READ_MODEL_LAG.toNanos();
        while (true) {
            JsonNode view = api.get(Jobs.path(job));
            if (Jobs.ended(view)) {
                return view;
            }
            if (System.nanoTime() > deadline) {
                throw new CommandFailure(
                        ExitCodes.FAILED,
                        "job "
                                + job
                                + " has ended, but its view says "
                                + view.path("state").asText());
            }
            pause();
        }
    }

    static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitCodes.FAILED, "interrupted");
        }
    }
}
