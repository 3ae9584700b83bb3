package dev.muster.gateway;

import dev.muster.domain.Event;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Those who wait for the fact that answers their command. On one context. */
final class CommandOutcomes {

    /** Types of the facts that name a command. */
    static final Set<String> TYPES =
            Set.of(
                    "JobStopping",
                    "JobStopped",
                    "JobPreempted",
                    "NodeCordoned",
                    "NodeUncordoned",
                    "CommandRefused");

    private final Vertx vertx;
    private final long patienceMillis;
    private final Map<String, Promise<Optional<Event>>> waiting = new HashMap<>();

    CommandOutcomes(Vertx vertx, long patienceMillis) {
        this.vertx = vertx;
        this.patienceMillis = patienceMillis;
    }

    /** Empty if no fact came in time; never fails. To be called before the command is sent. */
    Future<Optional<Event>> await(String commandId) {
        Promise<Optional<Event>> promise = Promise.promise();
        if (patienceMillis == 0) {
            return Future.succeededFuture(Optional.empty());
        }
        waiting.put(commandId, promise);
        long timer = vertx.setTimer(patienceMillis, _ -> promise.tryComplete(Optional.empty()));
        return promise.future()
                .onComplete(_ -> {
                    vertx.cancelTimer(timer);
                    waiting.remove(commandId);
                });
    }

    void seen(Event event) {
        String command =
                switch (event) {
                    case Event.JobStopping e -> e.commandId();
                    case Event.JobStopped e -> e.commandId();
                    case Event.JobPreempted e -> e.commandId();
                    case Event.NodeCordoned e -> e.commandId();
                    case Event.NodeUncordoned e -> e.commandId();
                    case Event.CommandRefused e -> e.commandId();
                    case Event.OfJob _,
                            Event.OfNode _,
                            Event.LeaderTookOver _,
                            Event.ShardOwned _,
                            Event.OutageObserved _,
                            Event.InputsAbsorbed _ ->
                            "";
                };
        Promise<Optional<Event>> promise = waiting.get(command);
        if (promise != null) {
            promise.tryComplete(Optional.of(event));
        }
    }
}
