package dev.muster.gateway;

import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.Failure;
import dev.muster.domain.PoolId;
import dev.muster.platform.codec.Codec;
import dev.muster.platform.http.FailureException;

import io.vertx.core.Future;
import io.vertx.core.Promise;

import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Puts commands other than submissions on their pool's lane and waits for what comes of them. */
final class Commands {

    private final Lanes lanes;
    private final CommandOutcomes outcomes;
    private final long timeoutNanos;

    Commands(Lanes lanes, CommandOutcomes outcomes, long timeoutMillis) {
        this.lanes = lanes;
        this.outcomes = outcomes;
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    /**
     * What is known of a command that is durable.
     *
     * @param fact that names it, empty if none came in time
     */
    record Outcome(String commandId, Optional<Event> fact) {}

    /**
     * Fails with {@link Failure.Conflict} if the scheduler refused the command.
     *
     * @param command made from its id
     */
    Future<Outcome> send(PoolId pool, Function<String, Command> command) {
        String id = UUID.randomUUID().toString();
        return lanes.find(pool)
                .compose(writer -> send(writer, id, command.apply(id)))
                .map(fact -> {
                    if (fact.isPresent() && fact.get() instanceof Event.CommandRefused refused) {
                        throw new FailureException(new Failure.Conflict(refused.reason()));
                    }
                    return new Outcome(id, fact);
                });
    }

    private Future<Optional<Event>> send(LaneWriter writer, String id, Command command) {
        Future<Optional<Event>> fact = outcomes.await(id);
        Promise<LaneItem.Place> durable = Promise.promise();
        writer.take(
                new LaneItem.Intent(
                        id,
                        command,
                        Codec.encode(command),
                        System.nanoTime() + timeoutNanos,
                        durable));
        return durable.future().compose(_ -> fact);
    }
}
