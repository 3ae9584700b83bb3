package dev.muster.notifier;

import dev.muster.domain.PoolId;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.UUID;

/** One event for one subscription, while it is in memory. On one context. */
final class Delivery {

    /** What became of it, by the number that the table holds. */
    enum State {
        PENDING(0),
        DELIVERED(1),
        DEAD(2);

        private final short number;

        State(int number) {
            this.number = (short) number;
        }

        short number() {
            return number;
        }

        static State of(short number) {
            for (State each : values()) {
                if (each.number == number) {
                    return each;
                }
            }
            throw new IllegalArgumentException("no state has the number " + number);
        }
    }

    /** Names a delivery: the same however often it is sent, so that receivers can tell repeats. */
    record Id(String pool, long seq, UUID subscription) {

        @Override
        public String toString() {
            return pool + '-' + seq + '-' + subscription.toString().replace("-", "");
        }

        static Optional<Id> parse(String text) {
            int second = text.lastIndexOf('-');
            int first = second < 0 ? -1 : text.lastIndexOf('-', second - 1);
            if (first < 1) {
                return Optional.empty();
            }
            try {
                PoolId pool = new PoolId(text.substring(0, first));
                long seq = Long.parseUnsignedLong(text.substring(first + 1, second));
                return SubscriptionIds.parse(text.substring(second + 1))
                        .map(subscription -> new Id(pool.value(), seq, subscription));
            } catch (IllegalArgumentException _) {
                return Optional.empty();
            }
        }
    }

    private final Mailbox mailbox;
    private final Message message;
    private final long bornMillis;
    private @Nullable String id;
    private State state = State.PENDING;
    private int attempts;
    private long dueMillis;

    /** Results that are not known to be written down. */
    private int unwritten;

    Delivery(Mailbox mailbox, Message message, long bornMillis, int attempts, long dueMillis) {
        this.mailbox = mailbox;
        this.message = message;
        this.bornMillis = bornMillis;
        this.attempts = attempts;
        this.dueMillis = dueMillis;
    }

    Mailbox mailbox() {
        return mailbox;
    }

    Message message() {
        return message;
    }

    long seq() {
        return message.seq();
    }

    String id() {
        String made = id;
        if (made == null) {
            made = new Id(message.pool(), seq(), mailbox.subscription().id()).toString();
            id = made;
        }
        return made;
    }

    long bornMillis() {
        return bornMillis;
    }

    State state() {
        return state;
    }

    int attempts() {
        return attempts;
    }

    /** Not to be sent before. */
    long dueMillis() {
        return dueMillis;
    }

    void attempted() {
        attempts++;
    }

    void retryAt(long millis) {
        dueMillis = millis;
    }

    void end(State how) {
        state = how;
    }

    void writing() {
        unwritten++;
    }

    void written() {
        unwritten--;
    }

    boolean isWritten() {
        return unwritten == 0;
    }
}
