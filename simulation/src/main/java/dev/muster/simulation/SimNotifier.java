package dev.muster.simulation;

import dev.muster.notifier.Backoff;
import dev.muster.notifier.Circuit;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.scheduler.CommittedRow;
import dev.muster.simulation.NotifierTable.Claim;
import dev.muster.simulation.NotifierTable.Pending;

import io.vertx.core.Future;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A notifier with the protocol of {@code PoolFeed} and {@code Mailboxes}: of several, one folds the
 * pool's events under a position that moves with them; whoever claimed a mailbox sends what is in
 * it, one event of a job after the other.
 */
final class SimNotifier extends SimProcess {

    private static final long LEASE_MILLIS = 4_000;
    private static final long STEP_MILLIS = 1_000;
    private static final int FOLD = 30;
    private static final int WINDOW = 40;

    private final Deque<EventRecord> queue = new ArrayDeque<>();
    private final Map<Integer, Held> held = new HashMap<>();
    private long position;
    private long takenAt;
    private long seen;
    private boolean busy;

    SimNotifier(World world, String name) {
        super(world, name);
    }

    @Override
    void begin() {
        queue.clear();
        held.clear();
        position = -1;
        takenAt = 0;
        seen = 0;
        busy = false;
        SimConsumer tap =
                new SimConsumer(
                        this,
                        World.TOPICS.events(),
                        world.transport.end(World.TOPICS.events()),
                        this::offer);
        tap.wake();
        every(STEP_MILLIS, this::step);
        every(STEP_MILLIS, this::claim);
        every(LEASE_MILLIS / 4, this::renew);
    }

    private Future<Void> offer(List<ConsumerRecord<String, byte[]>> batch) {
        for (ConsumerRecord<String, byte[]> each : batch) {
            EventRecord event = EventRecord.read(each);
            seen = Math.max(seen, event.seq());
            if (position >= 0) {
                queue.add(event);
            }
        }
        step();
        return Future.succeededFuture();
    }

    private void step() {
        if (busy) {
            return;
        }
        busy = true;
        work().onComplete(done -> {
            busy = false;
            if (done.failed()) {
                position = -1;
                queue.clear();
            } else if (done.result()) {
                later(10, this::step);
            }
        });
    }

    private Future<Boolean> work() {
        if (position < 0 || world.clock.now() - takenAt > LEASE_MILLIS / 3) {
            return world.database
                    .execute(
                            this,
                            "position.take",
                            () -> world.database.notifier.take(name, LEASE_MILLIS))
                    .map(seq -> {
                        takenAt = world.clock.now();
                        position = seq;
                        if (seq < 0) {
                            queue.clear();
                        }
                        return seq >= 0;
                    });
        }
        while (!queue.isEmpty() && queue.getFirst().seq() <= position) {
            queue.removeFirst();
        }
        if (!queue.isEmpty() && queue.getFirst().seq() == position + 1) {
            return fold(nextOfQueue());
        }
        long from = position;
        return world.database
                .execute(this, "events.read", () -> world.database.journal.committedAfter(from))
                .compose(rows -> rows.isEmpty() ? Future.succeededFuture(false) : fold(read(rows)));
    }

    private List<EventRecord> nextOfQueue() {
        List<EventRecord> batch = new ArrayList<>();
        long next = position + 1;
        while (batch.size() < FOLD && !queue.isEmpty() && queue.getFirst().seq() == next) {
            batch.add(queue.removeFirst());
            next++;
        }
        return batch;
    }

    private List<EventRecord> read(List<CommittedRow> rows) {
        List<EventRecord> events = new ArrayList<>();
        for (CommittedRow row : rows) {
            for (int i = 0; i < row.events().size(); i++) {
                long seq = row.firstSeq() + i;
                if (seq > position) {
                    events.add(
                            EventRecord.of(World.POOL, seq, row.atMillis(), row.events().get(i)));
                }
            }
        }
        return events;
    }

    private Future<Boolean> fold(List<EventRecord> events) {
        long from = position;
        long to = events.getLast().seq();
        return world.database
                .execute(
                        this,
                        "events.fold",
                        () -> world.database.notifier.fold(name, from, events, LEASE_MILLIS))
                .map(moved -> {
                    if (!moved) {
                        throw new Lost("another notifier moved the position", false);
                    }
                    position = to;
                    takenAt = world.clock.now();
                    held.values().forEach(Held::load);
                    claim();
                    return true;
                });
    }

    private void claim() {
        long asked = world.clock.now();
        world.database
                .execute(
                        this,
                        "mailbox.claim",
                        () -> Optional.ofNullable(world.database.notifier.claim(LEASE_MILLIS)))
                .onSuccess(found ->
                        found.ifPresent(claim -> {
                            Held fresh = new Held(claim, asked);
                            held.put(claim.mailbox(), fresh);
                            fresh.load();
                        }))
                .onFailure(world::unheard);
    }

    private void renew() {
        for (Held each : List.copyOf(held.values())) {
            each.renew();
        }
    }

    /** A mailbox that this notifier holds. */
    private final class Held {

        private final Claim claim;
        private final Set<Long> known = new HashSet<>();
        private final Map<String, Deque<Pending>> chains = new HashMap<>();
        private final Backoff backoff =
                new Backoff(500, 8_000, bound -> world.clock.between(0, bound - 1));
        private final Circuit circuit =
                new Circuit(
                        new Circuit.Rule(
                                5, 2_000, 20_000, bound -> world.clock.between(0, bound - 1)));
        private long heardAt;
        private int flying;
        private boolean lost;

        Held(Claim claim, long askedAt) {
            this.claim = claim;
            this.heardAt = askedAt;
        }

        void renew() {
            long asked = world.clock.now();
            world.database
                    .execute(
                            SimNotifier.this,
                            "mailbox.renew",
                            () -> world.database.notifier.renew(claim, LEASE_MILLIS))
                    .onSuccess(still -> {
                        if (still) {
                            heardAt = asked;
                            load();
                        } else {
                            lose();
                        }
                    })
                    .onFailure(world::unheard);
        }

        private void lose() {
            lost = true;
            held.remove(claim.mailbox(), this);
        }

        private boolean sends() {
            return !lost && world.clock.now() - heardAt < LEASE_MILLIS;
        }

        void load() {
            if (lost || known.size() >= WINDOW) {
                return;
            }
            world.database
                    .execute(
                            SimNotifier.this,
                            "mailbox.load",
                            () -> world.database.notifier.load(claim.mailbox(), WINDOW))
                    .onSuccess(page -> page.forEach(this::add))
                    .onFailure(world::unheard);
        }

        private void add(Pending pending) {
            if (!lost && known.add(pending.seq())) {
                Deque<Pending> chain =
                        chains.computeIfAbsent(pending.job(), _ -> new ArrayDeque<>());
                chain.add(pending);
                if (chain.size() == 1) {
                    send(chain, 1);
                }
            }
        }

        private void send(Deque<Pending> chain, int attempt) {
            Pending first = chain.peekFirst();
            if (first == null || lost) {
                return;
            }
            long now = world.clock.now();
            if (!sends() || !mayTry(now)) {
                later(STEP_MILLIS, () -> send(chain, attempt));
                return;
            }
            if (!reach("sending")) {
                return;
            }
            flying++;
            String id = World.POOL + "-" + first.seq() + "-" + claim.mailbox();
            int life = life();
            world.receivers.post(
                    claim.mailbox(),
                    id,
                    first.body(),
                    status -> {
                        if (alive() && life == life()) {
                            execute(() -> answered(chain, first, attempt, status));
                        }
                    });
        }

        private boolean mayTry(long now) {
            boolean probes = circuit.halfOpen(now) || circuit.state() == Circuit.State.HALF_OPEN;
            return circuit.state() == Circuit.State.CLOSED || (probes && flying == 0);
        }

        private void answered(Deque<Pending> chain, Pending first, int attempt, int status) {
            flying--;
            if (status != 200) {
                circuit.failed(world.clock.now());
                later(backoff.millis(attempt, 0), () -> send(chain, attempt + 1));
                return;
            }
            circuit.succeeded();
            chain.removeFirst();
            settle(first);
            send(chain, 1);
        }

        /** Until it is written down; a repeat of it would be the same. */
        private void settle(Pending first) {
            world.database
                    .execute(
                            SimNotifier.this,
                            "delivery.settle",
                            () -> world.database.notifier.settle(claim.mailbox(), first.seq()))
                    .onSuccess(_ -> known.remove(first.seq()))
                    .onFailure(_ -> later(300, () -> settle(first)));
        }
    }
}
