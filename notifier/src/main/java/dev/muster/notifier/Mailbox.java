package dev.muster.notifier;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A mailbox that this notifier holds: the deliveries that are in memory, as chains, and how far the
 * table was read. On one context.
 */
final class Mailbox {

    /** Where it is between this notifier and the table. */
    enum Hold {
        HELD,
        /** It was given back, and the answer was not heard yet. */
        RETURNING,
        /** Another's, as far as is known: nothing of it is sent any more. */
        LOST
    }

    /**
     * A claim as the table answered it.
     *
     * @param number greater than that of any claim before
     * @param lowSeq everything up to it has ended
     */
    record Claim(int id, UUID subscription, String pool, long number, long lowSeq, int pokes) {}

    /** What was known when the table was asked, to be told from what came before its answer. */
    record Mark(long claim, long cursor, int pokes, int news) {}

    private final int id;
    private final String pool;
    private Subscription subscription;
    private final Target target;
    private final Map<UUID, Chain> chains = new HashMap<>();

    /** All in memory whose end is not known to be written down. */
    private final TreeMap<Long, Delivery> known = new TreeMap<>();

    private Hold hold = Hold.HELD;
    private long claim;
    private int pokes;

    /** Every delivery up to it was read, or has ended. */
    private long cursor;

    /** Whether the table may hold more behind the cursor. */
    private boolean behind = true;

    /** How often more was put into the table than this notifier took at once. */
    private int news;

    private boolean loading;

    /** Written down since the table was asked: its answer may still show them as pending. */
    private final Set<Long> endedMeanwhile = new HashSet<>();

    private long heardNanos;
    private long emptySinceNanos;

    Mailbox(Claim claim, Subscription subscription, Target target, long nowNanos) {
        this.id = claim.id;
        this.pool = claim.pool;
        this.subscription = subscription;
        this.target = target;
        claimed(claim, nowNanos);
    }

    int id() {
        return id;
    }

    String pool() {
        return pool;
    }

    Subscription subscription() {
        return subscription;
    }

    void subscription(Subscription changed) {
        subscription = changed;
    }

    Target target() {
        return target;
    }

    long claim() {
        return claim;
    }

    int pokes() {
        return pokes;
    }

    Hold hold() {
        return hold;
    }

    /**
     * Claimed, perhaps again before an earlier giving back was answered: from now on it is held
     * under the new claim, and what comes late of the old one changes nothing.
     */
    void claimed(Claim fresh, long nowNanos) {
        if (fresh.number <= claim) {
            return;
        }
        hold = Hold.HELD;
        claim = fresh.number;
        pokes = fresh.pokes;
        cursor = fresh.lowSeq;
        behind = true;
        heardNanos = nowNanos;
        emptySinceNanos = nowNanos;
    }

    void returning() {
        hold = Hold.RETURNING;
    }

    /**
     * The answer to the giving back of a claim.
     *
     * @param gone whether the table let go of it; otherwise there was news
     * @return whether nothing is held any more
     */
    boolean returned(long ofClaim, boolean gone) {
        if (ofClaim != claim || hold != Hold.RETURNING) {
            return false;
        }
        if (gone) {
            lose();
            return true;
        }
        hold = Hold.HELD;
        behind = true;
        return false;
    }

    /** What is under way may still end; nothing more is begun. */
    void lose() {
        hold = Hold.LOST;
        for (Chain each : chains.values()) {
            each.put(Chain.Place.GONE);
        }
        chains.clear();
        known.clear();
    }

    /** The table confirmed the hold. */
    void renewed(int nowPokes, long lowSeq, long askedNanos) {
        heardNanos = askedNanos;
        poked(nowPokes, lowSeq);
    }

    /** One may wait again that had ended. Says nothing of the hold. */
    void poked(int nowPokes, long lowSeq) {
        if (nowPokes != pokes) {
            pokes = nowPokes;
            cursor = Math.min(cursor, lowSeq);
            behind = true;
        }
    }

    /** Whether something may be sent: it is held, and the lease cannot have ended. */
    boolean sends(long nowNanos, long leaseNanos) {
        return hold == Hold.HELD && nowNanos - heardNanos < leaseNanos;
    }

    long cursor() {
        return cursor;
    }

    boolean behind() {
        return behind;
    }

    /** The table got more, behind all that it held before. */
    void news() {
        news++;
        behind = true;
    }

    Mark mark() {
        return new Mark(claim, cursor, pokes, news);
    }

    boolean loading() {
        return loading;
    }

    /** Begins and ends a load, the latter after {@link #loaded}. */
    void loading(boolean now) {
        loading = now;
        endedMeanwhile.clear();
    }

    /** What came straight from the fold, with nothing left unread before it. */
    void read(long to) {
        cursor = Math.max(cursor, to);
        behind = false;
    }

    /**
     * What was read from the table. The answer is older than what was heard since it was asked:
     * news lies behind all that it tells of; one that waits again may lie before the cursor that it
     * would lead to.
     *
     * @param asked as of the question
     * @param to the new cursor
     * @param more whether the table held more behind it
     */
    void loaded(Mark asked, long to, boolean more) {
        boolean current = asked.claim == claim && asked.cursor == cursor && asked.pokes == pokes;
        if (current) {
            cursor = Math.max(cursor, to);
            behind = more || asked.news != news;
        }
    }

    /** Whether there is nothing to be added of it. */
    boolean knows(long seq) {
        return known.containsKey(seq) || endedMeanwhile.contains(seq);
    }

    int size() {
        return known.size();
    }

    /** Returns the chain if it has something to send now that it had not before. */
    @Nullable Chain add(Delivery delivery) {
        known.put(delivery.seq(), delivery);
        UUID job = delivery.message().job();
        Chain chain = chains.computeIfAbsent(job, _ -> new Chain(this, job));
        chain.add(delivery);
        return chain.place() == Chain.Place.GONE ? chain : null;
    }

    /** Takes one that is never to be sent, until its end is written down. */
    void track(Delivery delivery) {
        known.put(delivery.seq(), delivery);
    }

    void ended(Chain chain) {
        chain.put(Chain.Place.GONE);
        chains.remove(chain.job());
    }

    /** The delivery's end is written down. */
    void settled(Delivery delivery, long nowNanos) {
        known.remove(delivery.seq(), delivery);
        if (loading) {
            endedMeanwhile.add(delivery.seq());
        }
        if (known.isEmpty()) {
            emptySinceNanos = nowNanos;
        }
    }

    /** Everything up to it has ended, and is known to be written down. */
    long lowSeq() {
        return known.isEmpty() ? cursor : Math.min(cursor, known.firstKey() - 1);
    }

    boolean idle(long nowNanos, long forNanos) {
        return hold == Hold.HELD
                && known.isEmpty()
                && !behind
                && !loading
                && nowNanos - emptySinceNanos >= forNanos;
    }

    /**
     * Keeps in memory only what is under way or not written down: a target that does not answer
     * takes no room from others. The rest is read again later.
     */
    void shrink() {
        for (Chain each : new ArrayList<>(chains.values())) {
            List<Delivery> before = new ArrayList<>();
            each.deliveries().forEach(before::add);
            each.forget();
            List<Delivery> after = new ArrayList<>();
            each.deliveries().forEach(after::add);
            before.removeAll(after);
            before.forEach(gone -> known.remove(gone.seq(), gone));
            for (Delivery gone : before) {
                cursor = Math.min(cursor, gone.seq() - 1);
            }
            behind |= !before.isEmpty();
            if (each.isEmpty()) {
                ended(each);
            }
        }
    }

    Collection<Chain> chains() {
        return chains.values();
    }
}
