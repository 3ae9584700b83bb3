package dev.muster.notifier;

import dev.muster.domain.Failure;
import dev.muster.domain.Violation;
import dev.muster.platform.http.HttpEdge;
import dev.muster.platform.http.Problems;
import dev.muster.platform.http.Replies;
import dev.muster.platform.run.Failpoints;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Optional;
import java.util.UUID;

/**
 * What the gateway asks for, with the service token:
 *
 * <ul>
 *   <li>{@code POST /internal/v1/deliveries/{id}/retry}: a dead delivery waits again, under its id.
 *   <li>{@code POST /internal/v1/subscriptions/{id}/ping}: one request at once, past the queue.
 * </ul>
 */
final class NotifierApi {

    private static final int MAX_PINGS = 16;
    private static final int RETRY_SECONDS = 2;

    private final MailboxStore store;
    private final Mailboxes mailboxes;
    private final Subscriptions subscriptions;
    private final Sender sender;
    private final Clock clock;
    private int pings;

    NotifierApi(
            MailboxStore store,
            Mailboxes mailboxes,
            Subscriptions subscriptions,
            Sender sender,
            Clock clock) {
        this.store = store;
        this.mailboxes = mailboxes;
        this.subscriptions = subscriptions;
        this.sender = sender;
        this.clock = clock;
    }

    void mount(HttpEdge edge) {
        edge.router().post("/internal/v1/deliveries/:id/retry").handler(this::retry);
        edge.router().post("/internal/v1/subscriptions/:id/ping").handler(this::ping);
    }

    private void retry(RoutingContext rc) {
        Optional<Delivery.Id> id = Delivery.Id.parse(rc.pathParam("id"));
        if (id.isEmpty()) {
            Problems.answer(rc, noDelivery(rc));
            return;
        }
        store.revive(id.get(), clock.millis())
                .compose(revived ->
                        revived.isPresent() ? revived(rc, revived.get()) : notDead(rc, id.get()))
                .onFailure(rc::fail);
    }

    private Future<Void> revived(RoutingContext rc, MailboxStore.Revived revived) {
        Failpoints.reach(NotifierSettings.REVIVED);
        mailboxes.revived(revived);
        Replies.json(
                rc.response(),
                200,
                new JsonObject().put("id", rc.pathParam("id")).put("state", "PENDING"));
        return Future.succeededFuture();
    }

    private Future<Void> notDead(RoutingContext rc, Delivery.Id id) {
        return store.state(id)
                .map(state -> {
                    Problems.answer(
                            rc,
                            state.<Failure>map(found ->
                                            new Failure.Conflict(
                                                    "Delivery %s is %s, not DEAD."
                                                            .formatted(id, found)))
                                    .orElseGet(() -> noDelivery(rc)));
                    return null;
                });
    }

    private static Failure noDelivery(RoutingContext rc) {
        String shown = Violation.of("", rc.pathParam("id"), "", "").value();
        return new Failure.NotFound("There is no delivery " + shown + ".");
    }

    private void ping(RoutingContext rc) {
        Optional<UUID> id = SubscriptionIds.parse(rc.pathParam("id"));
        if (id.isEmpty()) {
            Problems.answer(rc, new Failure.NotFound("There is no such subscription."));
        } else if (pings >= MAX_PINGS) {
            Problems.answer(
                    rc, new Failure.Overloaded("Too many tests are under way.", RETRY_SECONDS));
        } else {
            pings++;
            subscriptions
                    .refresh()
                    .onSuccess(_ -> ping(rc, id.get()))
                    .onFailure(cause -> {
                        pings--;
                        rc.fail(cause);
                    });
        }
    }

    private void ping(RoutingContext rc, UUID id) {
        Subscription subscription = subscriptions.get(id);
        if (subscription == null) {
            pings--;
            Problems.answer(rc, new Failure.NotFound("There is no such subscription."));
            return;
        }
        long begun = System.nanoTime();
        sender.send(
                subscription,
                parcel(subscription),
                attempt -> {
                    pings--;
                    JsonObject answer =
                            new JsonObject()
                                    .put("arrived", attempt.kind() == Attempt.Kind.ARRIVED)
                                    .put("status", attempt.status())
                                    .put("millis", (System.nanoTime() - begun) / 1_000_000);
                    if (!attempt.error().isEmpty()) {
                        answer.put("error", attempt.error());
                    }
                    Replies.json(rc.response(), 200, answer);
                });
    }

    private Sender.Parcel parcel(Subscription subscription) {
        String id = "ping-" + UUID.randomUUID();
        String shownId = subscription.id().toString().replace("-", "");
        JsonObject event =
                new JsonObject()
                        .put("specversion", "1.0")
                        .put("id", id)
                        .put("type", "dev.muster.Ping")
                        .put("source", "/subscriptions/" + shownId)
                        .put("time", clock.instant().toString())
                        .put("musterproject", subscription.scope().project())
                        .put("datacontenttype", "application/json")
                        .put("data", new JsonObject().put("subscription", shownId));
        byte[] body = event.encode().getBytes(StandardCharsets.UTF_8);
        return new Sender.Parcel(id, body, Buffer.buffer(body));
    }
}
