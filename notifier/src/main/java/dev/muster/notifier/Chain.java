package dev.muster.notifier;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;

/**
 * The deliveries of one job to one subscription, in order of seq: the next waits for the end of the
 * one before. On one context.
 */
final class Chain {

    /** What the chain does. */
    enum Place {
        /** Nothing is left, or the mailbox has let go of it. */
        GONE,
        /** Its first may be sent, once there is room. */
        READY,
        /** Its first is under way. */
        FLYING,
        /** Its first failed and waits for its time. */
        RESTING
    }

    private final Mailbox mailbox;
    private final UUID job;
    private final Deque<Delivery> deliveries = new ArrayDeque<>(4);
    private Place place = Place.GONE;

    Chain(Mailbox mailbox, UUID job) {
        this.mailbox = mailbox;
        this.job = job;
    }

    Mailbox mailbox() {
        return mailbox;
    }

    UUID job() {
        return job;
    }

    Place place() {
        return place;
    }

    void put(Place where) {
        place = where;
    }

    @Nullable Delivery first() {
        return deliveries.peekFirst();
    }

    /** One that is tried again goes before those that came later, but for one under way. */
    void add(Delivery delivery) {
        Delivery last = deliveries.peekLast();
        if (last == null || last.seq() < delivery.seq()) {
            deliveries.addLast(delivery);
            return;
        }
        Deque<Delivery> later = new ArrayDeque<>();
        int stays = place == Place.FLYING ? 1 : 0;
        while (deliveries.size() > stays && deliveries.getLast().seq() > delivery.seq()) {
            later.addFirst(deliveries.removeLast());
        }
        deliveries.addLast(delivery);
        deliveries.addAll(later);
    }

    void removeFirst() {
        deliveries.removeFirst();
    }

    /** Lets go of all but one under way and those whose results are not written down yet. */
    void forget() {
        Delivery under = place == Place.FLYING ? deliveries.peekFirst() : null;
        deliveries.removeIf(each -> each != under && each.isWritten());
    }

    boolean isEmpty() {
        return deliveries.isEmpty();
    }

    Iterable<Delivery> deliveries() {
        return deliveries;
    }
}
