package dev.muster.simulation;

import dev.muster.platform.kafka.EventRecord;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The schema of the notifier: the fold's position, deliveries, and who holds which mailbox. */
final class NotifierTable {

    /** A delivery that has not ended; its body is the event as it is sent. */
    record Pending(long seq, String job, byte[] body) {}

    /**
     * A mailbox as its holder got it.
     *
     * @param claim greater than that of any claim before
     */
    record Claim(int mailbox, long claim) {}

    private static final class Mailbox {
        long claim;
        long until = Long.MIN_VALUE;
        final TreeMap<Long, Pending> pending = new TreeMap<>();
    }

    private final Clockwork clock;
    private final Map<Integer, Mailbox> mailboxes = new TreeMap<>();
    private String holder = "";
    private long holderUntil = Long.MIN_VALUE;
    private long position;

    NotifierTable(World world) {
        this.clock = world.clock;
        for (int mailbox = 0; mailbox < SimReceivers.COUNT; mailbox++) {
            mailboxes.put(mailbox, new Mailbox());
        }
    }

    private Mailbox mailbox(int number) {
        return mailboxes.computeIfAbsent(number, _ -> new Mailbox());
    }

    /** The position if this notifier folds the pool, −1 if another one does. */
    long take(String notifier, long leaseMillis) {
        if (!holder.equals(notifier) && holderUntil >= clock.now()) {
            return -1;
        }
        holder = notifier;
        holderUntil = clock.now() + leaseMillis;
        return position;
    }

    /** Deliveries and position in one; false if the position was not where it was believed. */
    boolean fold(String notifier, long from, List<EventRecord> events, long leaseMillis) {
        if (!holder.equals(notifier) || position != from) {
            return false;
        }
        holderUntil = clock.now() + leaseMillis;
        for (EventRecord each : events) {
            position = each.seq();
            if (!each.job().isEmpty()) {
                Pending pending = new Pending(each.seq(), each.job(), each.cloudEvent());
                for (int number : SimReceivers.takers(each.project())) {
                    mailbox(number).pending.put(each.seq(), pending);
                }
            }
        }
        return true;
    }

    long position() {
        return position;
    }

    /** A mailbox with something in it that nobody holds; null for none. */
    @Nullable Claim claim(long leaseMillis) {
        for (Map.Entry<Integer, Mailbox> each : mailboxes.entrySet()) {
            Mailbox mailbox = each.getValue();
            if (!mailbox.pending.isEmpty() && mailbox.until < clock.now()) {
                mailbox.claim++;
                mailbox.until = clock.now() + leaseMillis;
                return new Claim(each.getKey(), mailbox.claim);
            }
        }
        return null;
    }

    boolean renew(Claim claim, long leaseMillis) {
        Mailbox mailbox = mailbox(claim.mailbox);
        if (mailbox.claim != claim.claim) {
            return false;
        }
        mailbox.until = clock.now() + leaseMillis;
        return true;
    }

    /** What waits, in order. */
    List<Pending> load(int number, int atMost) {
        List<Pending> page = new ArrayList<>();
        for (Pending each : mailbox(number).pending.values()) {
            if (page.size() == atMost) {
                break;
            }
            page.add(each);
        }
        return page;
    }

    /** It arrived, whoever wrote it down: a result is true even of a claim that is over. */
    boolean settle(int number, long seq) {
        return mailbox(number).pending.remove(seq) != null;
    }

    boolean allSettled() {
        return mailboxes.values().stream().allMatch(each -> each.pending.isEmpty());
    }
}
