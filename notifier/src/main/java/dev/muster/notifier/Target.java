package dev.muster.notifier;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A server that deliveries go to: its circuit, how much is under way, and what may be sent next. On
 * one context.
 */
final class Target {

    private final String name;
    private final Circuit circuit;
    private final int concurrency;
    private final Deque<Chain> ready = new ArrayDeque<>();
    private final Set<Mailbox> mailboxes = new LinkedHashSet<>();
    private int flying;

    /** Answers in a row: a target begins with one request at a time and earns more. */
    private int streak;

    /** Whether the dispatcher has it on its round. */
    private boolean queued;

    Target(String name, Circuit circuit, int concurrency) {
        this.name = name;
        this.circuit = circuit;
        this.concurrency = concurrency;
    }

    String name() {
        return name;
    }

    Circuit circuit() {
        return circuit;
    }

    Set<Mailbox> mailboxes() {
        return mailboxes;
    }

    boolean healthy() {
        return circuit.state() == Circuit.State.CLOSED;
    }

    boolean queued() {
        return queued;
    }

    void queued(boolean now) {
        queued = now;
    }

    void ready(Chain chain) {
        chain.put(Chain.Place.READY);
        ready.addLast(chain);
    }

    /** Whether one more request may be begun. */
    boolean hasRoom() {
        return switch (circuit.state()) {
            case CLOSED -> flying < Math.min(concurrency, 1 + streak);
            case HALF_OPEN -> flying == 0;
            case OPEN -> false;
        };
    }

    /** The next chain with something to send, or null. */
    @Nullable Chain next() {
        Chain chain = ready.pollFirst();
        while (chain != null && chain.place() != Chain.Place.READY) {
            chain = ready.pollFirst(); // its mailbox has let go of it
        }
        return chain;
    }

    void begun() {
        flying++;
    }

    void succeeded() {
        flying--;
        streak++;
        circuit.succeeded();
    }

    /** It answered, but took nothing: no fault of the way there. */
    void refused() {
        flying--;
        circuit.succeeded();
    }

    /** Returns whether the circuit opens by this. */
    boolean failed(long nowMillis) {
        flying--;
        streak = 0;
        return circuit.failed(nowMillis);
    }

    boolean unused() {
        return mailboxes.isEmpty() && flying == 0;
    }
}
