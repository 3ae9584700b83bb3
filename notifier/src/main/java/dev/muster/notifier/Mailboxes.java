package dev.muster.notifier;

import dev.muster.platform.config.Settings;
import dev.muster.platform.run.Failpoints;

import io.vertx.core.Future;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * The mailboxes that this notifier holds: claimed from the table, read in pages, kept by renewing,
 * given back when they are empty. On one context.
 */
final class Mailboxes {

    private static final Logger LOG = LoggerFactory.getLogger(Mailboxes.class);

    /** Deliveries kept of a mailbox whose target does not work: enough to find out. */
    private static final int SICK_WINDOW = 50;

    private static final int LOADED_AT_ONCE = 200;

    /** Rows read at once; fewer than messages are kept, so that each row finds its own. */
    private static final int ROWS_AT_ONCE = 5_000;

    private static final int MESSAGES_KEPT = 10_000;

    /** A delivery as it was just written by the fold of this process. */
    record Fresh(int mailbox, Message message) {}

    /** A mailbox as it was when the table was asked about it. */
    private record Asked(Mailbox mailbox, Mailbox.Mark mark) {
        static Asked of(Mailbox mailbox) {
            return new Asked(mailbox, mailbox.mark());
        }

        long claim() {
            return mark.claim();
        }
    }

    private final MailboxStore store;
    private final Subscriptions subscriptions;
    private final Dispatcher dispatcher;
    private final Clock clock;
    private final int claimRows;
    private final int maxHeld;
    private final int window;
    private final int windowAll;
    private final long idleNanos;
    private final Map<Integer, Mailbox> held = new LinkedHashMap<>();
    private final Set<Integer> hinted = new LinkedHashSet<>();
    private final Map<MailboxStore.MessageKey, Message> messages;
    private int inMemory;
    private boolean claiming;
    private boolean loading;
    private boolean renewing;
    private boolean releasing;

    Mailboxes(
            Settings settings,
            MailboxStore store,
            Subscriptions subscriptions,
            Dispatcher dispatcher,
            Clock clock) {
        this.store = store;
        this.subscriptions = subscriptions;
        this.dispatcher = dispatcher;
        this.clock = clock;
        this.claimRows = settings.get(NotifierSettings.CLAIM_ROWS);
        this.maxHeld = settings.get(NotifierSettings.MAILBOXES);
        this.window = settings.get(NotifierSettings.WINDOW);
        this.windowAll = settings.get(NotifierSettings.WINDOW_ALL);
        this.idleNanos = TimeUnit.MILLISECONDS.toNanos(settings.get(NotifierSettings.IDLE_MILLIS));
        this.messages =
                new LinkedHashMap<>() {
                    private static final long serialVersionUID = 1;

                    @Override
                    protected boolean removeEldestEntry(
                            Map.Entry<MailboxStore.MessageKey, Message> eldest) {
                        return size() > MESSAGES_KEPT;
                    }
                };
    }

    int size() {
        return held.size();
    }

    /** Deliveries in memory, as of the last look. */
    int inMemory() {
        return inMemory;
    }

    /** Events became deliveries. */
    void folded(List<Fresh> fresh) {
        long now = clock.millis();
        for (Fresh each : fresh) {
            Mailbox mailbox = held.get(each.mailbox);
            Message message = each.message;
            if (mailbox == null || mailbox.hold() != Mailbox.Hold.HELD) {
                hinted.add(each.mailbox);
                remember(message);
            } else if (!mailbox.behind() && mailbox.size() < windowOf(mailbox)) {
                mailbox.read(message.seq());
                dispatcher.add(mailbox, new Delivery(mailbox, message, now, 0, 0));
            } else {
                mailbox.news();
                remember(message);
            }
        }
        dispatcher.pump();
        if (!hinted.isEmpty()) {
            claim();
        }
        load();
    }

    private void remember(Message message) {
        messages.put(new MailboxStore.MessageKey(message.pool(), message.seq()), message);
    }

    private int windowOf(Mailbox mailbox) {
        if (!mailbox.target().healthy()) {
            return SICK_WINDOW;
        }
        return inMemory < windowAll ? window : SICK_WINDOW;
    }

    /** Of a pool that another notifier folds, the table alone tells what is new. */
    void newsOf(String pool) {
        held.values().stream().filter(each -> each.pool().equals(pool)).forEach(Mailbox::news);
    }

    /** Claims what is known to have news, or else anything that waits. */
    void claim() {
        if (claiming || held.size() >= maxHeld) {
            return;
        }
        claiming = true;
        List<Integer> these = List.copyOf(hinted);
        hinted.clear();
        long asked = System.nanoTime();
        // a mailbox of a subscription that is not known yet could not be served
        subscriptions
                .refresh()
                .compose(_ -> store.claim(these, Math.min(claimRows, maxHeld - held.size())))
                .onComplete(done -> {
                    claiming = false;
                    if (done.succeeded()) {
                        done.result().forEach(each -> claimed(each, asked));
                        load();
                    } else {
                        LOG.debug("nothing was claimed: {}", done.cause().getMessage());
                    }
                });
    }

    private void claimed(Mailbox.Claim claim, long askedNanos) {
        Failpoints.reach(NotifierSettings.CLAIMED);
        Mailbox known = held.get(claim.id());
        if (known != null) {
            known.claimed(claim, askedNanos);
            return;
        }
        Subscription subscription = subscriptions.get(claim.subscription());
        if (subscription == null) {
            return; // deleted just now; the rest is tidied away
        }
        Target target = dispatcher.target(subscription.endpoint());
        Mailbox mailbox = new Mailbox(claim, subscription, target, askedNanos);
        target.mailboxes().add(mailbox);
        held.put(mailbox.id(), mailbox);
    }

    /** Reads on where there is room. */
    void load() {
        if (loading) {
            return;
        }
        List<Mailbox> wanting = new ArrayList<>();
        List<Integer> rows = new ArrayList<>();
        int budget = ROWS_AT_ONCE;
        for (Mailbox each : held.values()) {
            int room = windowOf(each) - each.size();
            if (each.hold() == Mailbox.Hold.HELD && each.behind() && room > windowOf(each) / 2) {
                wanting.add(each);
                rows.add(Math.min(room, budget));
                budget -= rows.getLast();
                if (budget == 0 || wanting.size() == LOADED_AT_ONCE) {
                    break;
                }
            }
        }
        if (wanting.isEmpty()) {
            return;
        }
        loading = true;
        List<Asked> asked = wanting.stream().map(Asked::of).toList();
        wanting.forEach(each -> each.loading(true));
        store.load(wanting, rows)
                .compose(pages -> withMessages(wanting, pages))
                .onComplete(done -> {
                    if (done.succeeded()) {
                        Failpoints.reach(NotifierSettings.LOADED);
                        take(asked, rows, done.result());
                    } else {
                        LOG.debug("mailboxes are not read: {}", done.cause().getMessage());
                    }
                    loading = false;
                    wanting.forEach(each -> each.loading(false));
                    dispatcher.pump();
                });
    }

    private void take(List<Asked> asked, List<Integer> rows, Map<Integer, MailboxStore.Page> got) {
        for (int i = 0; i < asked.size(); i++) {
            Mailbox mailbox = asked.get(i).mailbox;
            MailboxStore.Page page = got.get(mailbox.id());
            if (page != null && mailbox.hold() == Mailbox.Hold.HELD) {
                take(asked.get(i), page, page.pending().size() >= rows.get(i));
            }
        }
    }

    private void take(Asked asked, MailboxStore.Page page, boolean full) {
        Mailbox mailbox = asked.mailbox;
        long last = mailbox.cursor();
        for (MailboxStore.Pending each : page.pending()) {
            Message message = messages.get(new MailboxStore.MessageKey(mailbox.pool(), each.seq()));
            if (message == null) {
                // forgotten meanwhile, since so many came: the rest is read again
                full = true;
                break;
            }
            last = each.seq();
            if (!mailbox.knows(each.seq())) {
                dispatcher.add(
                        mailbox,
                        new Delivery(
                                mailbox,
                                message,
                                each.bornMillis(),
                                each.attempts(),
                                each.dueMillis()));
            }
        }
        mailbox.loaded(asked.mark, full ? last : page.position(), full);
    }

    private Future<Map<Integer, MailboxStore.Page>> withMessages(
            List<Mailbox> mailboxes, Map<Integer, MailboxStore.Page> pages) {
        Set<MailboxStore.MessageKey> missing = new HashSet<>();
        for (Mailbox mailbox : mailboxes) {
            MailboxStore.Page page = pages.get(mailbox.id());
            if (page != null) {
                for (MailboxStore.Pending each : page.pending()) {
                    MailboxStore.MessageKey key =
                            new MailboxStore.MessageKey(mailbox.pool(), each.seq());
                    if (!mailbox.knows(each.seq()) && !messages.containsKey(key)) {
                        missing.add(key);
                    }
                }
            }
        }
        if (missing.isEmpty()) {
            return Future.succeededFuture(pages);
        }
        return store.messages(missing)
                .map(found -> {
                    found.forEach(this::remember);
                    return pages;
                });
    }

    /** Shows the table that this notifier lives, and hears what it lost. */
    void renew() {
        if (renewing || held.isEmpty()) {
            return;
        }
        renewing = true;
        long asked = System.nanoTime();
        List<Mailbox> all =
                held.values().stream().filter(m -> m.hold() == Mailbox.Hold.HELD).toList();
        List<Asked> claims = all.stream().map(Asked::of).toList();
        store.renew(all)
                .onComplete(done -> {
                    renewing = false;
                    if (done.failed()) {
                        LOG.debug("mailboxes are not renewed: {}", done.cause().getMessage());
                        return;
                    }
                    for (Asked each : claims) {
                        if (each.mailbox.claim() == each.claim()) {
                            renewed(each.mailbox, done.result().get(each.mailbox.id()), asked);
                        }
                    }
                });
    }

    private void renewed(Mailbox mailbox, MailboxStore.@Nullable Renewed answer, long askedNanos) {
        if (answer != null) {
            mailbox.renewed(answer.pokes(), answer.lowSeq(), askedNanos);
        } else if (mailbox.hold() == Mailbox.Hold.HELD) {
            LOG.warn("mailbox {} went to another notifier", mailbox.id());
            drop(mailbox);
        }
    }

    private void drop(Mailbox mailbox) {
        mailbox.lose();
        forget(mailbox);
    }

    private void forget(Mailbox mailbox) {
        held.remove(mailbox.id(), mailbox);
        mailbox.target().mailboxes().remove(mailbox);
        dispatcher.tidy(mailbox.target());
    }

    /** Gives back what was empty for a while. */
    void release() {
        inMemory = held.values().stream().mapToInt(Mailbox::size).sum();
        if (!releasing) {
            giveBack(idleNanos).onFailure(cause -> LOG.debug("nothing went back", cause));
        }
    }

    private Future<Void> giveBack(long forNanos) {
        long now = System.nanoTime();
        List<Mailbox> idle = held.values().stream().filter(m -> m.idle(now, forNanos)).toList();
        if (idle.isEmpty()) {
            return Future.succeededFuture();
        }
        releasing = true;
        List<Asked> claims = idle.stream().map(Asked::of).toList();
        idle.forEach(Mailbox::returning);
        return store.release(idle)
                .transform(done -> {
                    releasing = false;
                    if (done.succeeded()) {
                        Failpoints.reach(NotifierSettings.RELEASED);
                    }
                    // after a failure the table may still hold it for us: the lease will end
                    Collection<Integer> kept =
                            done.succeeded() ? kept(idle, done.result()) : Set.of();
                    for (Asked each : claims) {
                        Mailbox mailbox = each.mailbox;
                        if (mailbox.returned(each.claim(), !kept.contains(mailbox.id()))) {
                            forget(mailbox);
                        }
                    }
                    return Future.<Void>succeededFuture();
                });
    }

    private static Set<Integer> kept(List<Mailbox> idle, List<Integer> gone) {
        Set<Integer> kept = new HashSet<>();
        idle.forEach(each -> kept.add(each.id()));
        gone.forEach(kept::remove);
        return kept;
    }

    /** A subscription changed; null: it is no more. */
    void changed(UUID id, @Nullable Subscription now) {
        for (Mailbox each : List.copyOf(held.values())) {
            if (each.subscription().id().equals(id)) {
                if (now == null) {
                    drop(each);
                } else {
                    each.subscription(now);
                }
            }
        }
    }

    /** A dead delivery waits again. */
    void revived(MailboxStore.Revived revived) {
        Mailbox mailbox = held.get(revived.mailbox());
        if (mailbox != null && mailbox.hold() == Mailbox.Hold.HELD) {
            mailbox.poked(revived.now().pokes(), revived.now().lowSeq());
            load();
        } else {
            hinted.add(revived.mailbox());
            claim();
        }
    }

    /** Before the end: what is empty goes to others at once. */
    Future<Void> close() {
        return giveBack(0);
    }
}
