package dev.muster.gateway;

import dev.muster.domain.Command;
import dev.muster.domain.JobSpec;

import io.vertx.core.Promise;

import org.jspecify.annotations.Nullable;

/** What waits to become a row on a lane, and who waits for it. */
sealed interface LaneItem {

    /** Completes with the place of the item once it is durable. */
    Promise<Place> promise();

    /** When it is answered with 503 at the latest. */
    long deadlineNanos();

    /** Size for the bounds of batches and queues. */
    int bytes();

    /**
     * Where an item ended up.
     *
     * @param n place on its lane
     * @param repeated the key was used before: nothing was written, the job is the earlier one's
     */
    record Place(String id, long n, boolean repeated) {}

    /** Id of the job or the command. */
    String id();

    /** A job to be accepted. */
    record Submission(
            Command.SubmitJob command,
            JobSpec spec,
            byte[] canonical,
            @Nullable String key,
            long deadlineNanos,
            Promise<Place> promise)
            implements LaneItem {

        @Override
        public String id() {
            return command.ask().job().toString();
        }

        @Override
        public int bytes() {
            return canonical.length;
        }
    }

    /**
     * Any other command.
     *
     * @param id of the command
     */
    record Intent(
            String id, Command command, byte[] body, long deadlineNanos, Promise<Place> promise)
            implements LaneItem {

        @Override
        public int bytes() {
            return body.length;
        }
    }
}
