package dev.muster.notifier;

import dev.muster.platform.config.Settings;
import dev.muster.platform.run.Failpoints;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Decides what is sent next and what follows from each answer. Targets take turns, so that one with
 * much to get does not keep the others waiting. On one context.
 */
final class Dispatcher {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    private record Rest(Chain chain, long untilMillis) {}

    private final Sender sender;
    private final Results results;
    private final Meters meters;
    private final Clock clock;
    private final Backoff backoff;
    private final Circuit.Rule circuits;
    private final int concurrency;
    private final int targetConcurrency;
    private final int maxAttempts;
    private final long maxAgeMillis;
    private final long leaseNanos;

    private final Map<String, Target> targets = new HashMap<>();
    private final Deque<Target> round = new ArrayDeque<>();
    private final Set<Target> open = new LinkedHashSet<>();
    private final PriorityQueue<Rest> resting =
            new PriorityQueue<>(Comparator.comparingLong(Rest::untilMillis));
    private int flying;
    private boolean pumping;
    private boolean closed;

    Dispatcher(Settings settings, Sender sender, Results results, Meters meters, Clock clock) {
        this.sender = sender;
        this.results = results;
        this.meters = meters;
        this.clock = clock;
        this.backoff =
                new Backoff(
                        settings.get(NotifierSettings.BACKOFF_MILLIS),
                        settings.get(NotifierSettings.BACKOFF_MAX_MILLIS),
                        Dispatcher::below);
        this.circuits =
                new Circuit.Rule(
                        settings.get(NotifierSettings.CIRCUIT_FAILURES),
                        settings.get(NotifierSettings.CIRCUIT_MILLIS),
                        settings.get(NotifierSettings.CIRCUIT_MAX_MILLIS),
                        Dispatcher::below);
        this.concurrency = settings.get(NotifierSettings.CONCURRENCY);
        this.targetConcurrency = settings.get(NotifierSettings.TARGET_CONCURRENCY);
        this.maxAttempts = settings.get(NotifierSettings.MAX_ATTEMPTS);
        this.maxAgeMillis =
                TimeUnit.SECONDS.toMillis(settings.get(NotifierSettings.MAX_AGE_SECONDS));
        this.leaseNanos =
                TimeUnit.MILLISECONDS.toNanos(settings.get(NotifierSettings.LEASE_MILLIS));
        meters.gauge("muster.notifier.flying", "Requests under way", this, d -> d.flying);
    }

    private static long below(long bound) {
        return ThreadLocalRandom.current().nextLong(bound);
    }

    Target target(Endpoint endpoint) {
        return targets.computeIfAbsent(
                endpoint.target(),
                name -> new Target(name, new Circuit(circuits), targetConcurrency));
    }

    /** A mailbox came or went. */
    void tidy(Target target) {
        if (target.unused()) {
            targets.remove(target.name(), target);
            open.remove(target);
        }
    }

    Collection<Target> targets() {
        return targets.values();
    }

    /** Takes a delivery; it is sent when its turn comes. */
    void add(Mailbox mailbox, Delivery delivery) {
        if (!mailbox.target().healthy() && old(delivery)) {
            // nobody is there to take what has become too old
            mailbox.track(delivery);
            die(delivery, 0, "too old: the target does not work");
            return;
        }
        Chain chain = mailbox.add(delivery);
        if (chain != null) {
            settleIn(chain);
        }
    }

    /** Puts a chain where its first delivery belongs, or lets go of it. */
    private void settleIn(Chain chain) {
        Delivery first = chain.first();
        if (first == null) {
            chain.mailbox().ended(chain);
        } else if (first.dueMillis() > clock.millis()) {
            chain.put(Chain.Place.RESTING);
            resting.add(new Rest(chain, first.dueMillis()));
        } else {
            chain.mailbox().target().ready(chain);
            enqueue(chain.mailbox().target());
        }
    }

    private void enqueue(Target target) {
        if (!target.queued()) {
            target.queued(true);
            round.addLast(target);
        }
    }

    /**
     * What time brings: pauses that are over, circuits that may be probed, requests out of time.
     */
    void tick() {
        sender.sweep(System.nanoTime());
        long now = clock.millis();
        for (Rest first = resting.peek();
                first != null && first.untilMillis <= now;
                first = resting.peek()) {
            resting.remove();
            if (first.chain.place() == Chain.Place.RESTING) {
                settleIn(first.chain);
            }
        }
        for (Target each : List.copyOf(open)) {
            if (each.circuit().halfOpen(now)) {
                enqueue(each);
            }
        }
        pump();
    }

    /** Sends as much as there is room for. */
    void pump() {
        if (pumping || closed) {
            return; // an outcome that was known at once: the outer call goes on
        }
        pumping = true;
        try {
            while (flying < concurrency && !round.isEmpty()) {
                Target target = round.removeFirst();
                target.queued(false);
                if (target.hasRoom()) {
                    sendNext(target);
                }
            }
        } finally {
            pumping = false;
        }
    }

    private void sendNext(Target target) {
        Chain chain = target.next();
        if (chain == null) {
            return;
        }
        Delivery first = chain.first();
        if (first == null) {
            chain.mailbox().ended(chain);
        } else if (chain.mailbox().sends(System.nanoTime(), leaseNanos)) {
            send(target, chain, first);
        } else {
            // the lease may have ended: the table says whether it goes on
            chain.put(Chain.Place.RESTING);
            resting.add(
                    new Rest(
                            chain, clock.millis() + TimeUnit.NANOSECONDS.toMillis(leaseNanos) / 4));
        }
        enqueue(target);
    }

    private void send(Target target, Chain chain, Delivery delivery) {
        Failpoints.reach(NotifierSettings.SENDING);
        chain.put(Chain.Place.FLYING);
        target.begun();
        flying++;
        Message message = delivery.message();
        sender.send(
                chain.mailbox().subscription(),
                new Sender.Parcel(delivery.id(), message.body(), message.buffer()),
                attempt -> {
                    flying--;
                    Failpoints.reach(NotifierSettings.ANSWERED);
                    answered(target, chain, delivery, attempt);
                    tidy(target); // its last mailbox may have gone meanwhile
                    enqueue(target);
                    pump();
                });
    }

    private void answered(Target target, Chain chain, Delivery delivery, Attempt attempt) {
        delivery.attempted();
        switch (attempt.kind()) {
            case ARRIVED -> {
                if (target.circuit().state() != Circuit.State.CLOSED) {
                    closed(target);
                }
                target.succeeded();
                meters.arrived(clock.millis() - delivery.message().atMillis());
                end(delivery, Delivery.State.DELIVERED, attempt.status(), "");
            }
            case FAILED -> {
                boolean opens = target.failed(clock.millis());
                failed(chain, delivery, attempt);
                if (opens) {
                    opened(target, attempt.error());
                }
            }
            case NOT_TAKEN -> {
                closed(target);
                target.refused();
                failed(chain, delivery, attempt);
            }
            case UNWANTED -> {
                closed(target);
                target.refused();
                die(delivery, attempt.status(), attempt.error());
            }
        }
        goOn(chain, delivery);
    }

    /** The chain's next, unless its mailbox has let go of it meanwhile. */
    private void goOn(Chain chain, Delivery delivery) {
        if (chain.place() != Chain.Place.FLYING) {
            return;
        }
        if (delivery.state() != Delivery.State.PENDING) {
            chain.removeFirst();
        }
        settleIn(chain);
    }

    private void failed(Chain chain, Delivery delivery, Attempt attempt) {
        meters.failed();
        if (delivery.attempts() >= maxAttempts || old(delivery)) {
            die(delivery, attempt.status(), attempt.error());
            return;
        }
        long due = clock.millis() + backoff.millis(delivery.attempts(), attempt.askedMillis());
        delivery.retryAt(due);
        LOG.debug("{} of {}: {}", delivery.id(), chain.job(), attempt.error());
        results.add(
                delivery,
                new Results.Result(
                        Delivery.State.PENDING,
                        delivery.attempts(),
                        attempt.status(),
                        due,
                        0,
                        attempt.error()));
    }

    private boolean old(Delivery delivery) {
        return clock.millis() - delivery.bornMillis() > maxAgeMillis;
    }

    private void die(Delivery delivery, int status, String error) {
        meters.dead();
        LOG.info(
                "delivery {} is dead after {} attempts: {}",
                delivery.id(),
                delivery.attempts(),
                error);
        end(delivery, Delivery.State.DEAD, status, error);
    }

    private void end(Delivery delivery, Delivery.State how, int status, String error) {
        delivery.end(how);
        results.add(
                delivery,
                new Results.Result(how, delivery.attempts(), status, 0, clock.millis(), error));
    }

    private void opened(Target target, String error) {
        if (open.add(target)) {
            LOG.info("{} does not work ({}): nothing is sent for a while", target.name(), error);
        }
        for (Mailbox each : target.mailboxes()) {
            expire(each);
            each.shrink();
        }
    }

    private void closed(Target target) {
        if (open.remove(target)) {
            LOG.info("{} works again", target.name());
        }
    }

    /** What waits for a target that does not work is not kept longer than anything else. */
    private void expire(Mailbox mailbox) {
        for (Chain chain : new ArrayList<>(mailbox.chains())) {
            if (chain.place() == Chain.Place.FLYING) {
                continue;
            }
            Delivery first = chain.first();
            while (first != null && old(first)) {
                die(first, 0, "too old: the target does not work");
                chain.removeFirst();
                first = chain.first();
            }
        }
    }

    /** Begins nothing more; returns how much is still under way. */
    int wind() {
        closed = true;
        sender.sweep(System.nanoTime());
        return flying;
    }
}
