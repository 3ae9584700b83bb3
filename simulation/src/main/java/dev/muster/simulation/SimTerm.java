package dev.muster.simulation;

import dev.muster.core.PoolCore;
import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.InvariantBroken;
import dev.muster.domain.Message;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.kafka.LaneRecord;
import dev.muster.scheduler.CommittedRow;
import dev.muster.scheduler.JournalRow;
import dev.muster.scheduler.LaneVector;
import dev.muster.scheduler.PoolFold;
import dev.muster.scheduler.Positions;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One epoch of a leader, as {@code Term} has it: while an append is under way the next batch is
 * decided already, and if the append fails everything on top of it is dropped with the term.
 */
final class SimTerm {

    private static final int BATCH_INPUTS = 20;
    private static final long OUTAGE_MILLIS = 2_000;
    private static final long RENEW_MILLIS = SimScheduler.LEASE_MILLIS * 3 / 10;

    private final World world;
    private final SimScheduler scheduler;
    private final PoolCore core;
    private final JournalTable.Head head;
    private final Positions positions;
    private final TreeMap<String, Long> offsets;
    private final List<SimConsumer> consumers = new ArrayList<>();
    private final ArrayDeque<ConsumerRecord<String, byte[]>> fetched = new ArrayDeque<>();
    private final SimPublisher publisher;
    private JournalTable.@Nullable Append waiting;
    private boolean appending;
    private boolean planned;
    private boolean over;
    private long beatAt;
    private long aliveAt;
    private long aliveMillis;
    private final List<Long> timers = new ArrayList<>();

    SimTerm(SimScheduler scheduler, PoolFold state, JournalTable.Head head) {
        this.world = scheduler.world;
        this.scheduler = scheduler;
        this.core = state.core();
        this.head = head;
        this.positions = new Positions(LaneVector.read(head.positions()), core.shardEpoch());
        this.offsets = new TreeMap<>(LaneVector.read(head.offsets()));
        this.publisher = new SimPublisher(scheduler, head.seq());
        this.beatAt = world.clock.now();
        this.aliveAt = beatAt;
        this.aliveMillis = scheduler.wallMillis();
    }

    void begin() {
        publisher.begin();
        List<Input> batch = new ArrayList<>();
        batch.add(new Input.LeaderElected(head.epoch(), head.holder(), JournalRow.CODE_VERSION));
        long now = now();
        long from = Math.max(head.atMillis(), head.outageFromMillis());
        if (head.seq() > 0 && now - from > OUTAGE_MILLIS) {
            batch.add(new Input.OutageEnded(from, now));
        }
        decide(batch, now);
        for (String topic : List.of(World.TOPICS.reports(), World.TOPICS.commands())) {
            consumers.add(
                    new SimConsumer(
                            scheduler,
                            topic,
                            offsets.getOrDefault(topic, 0L),
                            batchOf -> {
                                fetched.addAll(batchOf);
                                plan(0);
                                return io.vertx.core.Future.succeededFuture();
                            }));
        }
        timers.add(scheduler.every(RENEW_MILLIS / 2, this::tick));
    }

    private long now() {
        return Math.max(core.nowMillis(), scheduler.wallMillis());
    }

    private void plan(long millis) {
        if (!planned && !over) {
            planned = true;
            scheduler.later(millis, this::turn);
        }
    }

    private void turn() {
        planned = false;
        if (over || waiting != null) {
            return; // two batches decided are enough
        }
        List<Input> batch = new ArrayList<>();
        poll(batch);
        noticeOutage(batch);
        long now = now();
        if (!batch.isEmpty() || core.moreToDo() || core.nextDeadlineMillis() <= now) {
            decide(batch, now);
        }
        if (!fetched.isEmpty() || core.moreToDo()) {
            plan(2);
        }
    }

    private void poll(List<Input> batch) {
        ConsumerRecord<String, byte[]> raw;
        while (batch.size() < BATCH_INPUTS && (raw = fetched.poll()) != null) {
            offsets.put(raw.topic(), raw.offset() + 1);
            LaneRecord record = LaneRecord.read(raw);
            Message message = record.decode().orThrow();
            Positions.Verdict verdict = positions.take(record.lane(), record.n());
            Message taken = world.plant.taken(core, verdict, message);
            if (taken != null) {
                batch.add(new Input.Delivered(record.lane(), record.n(), taken));
            }
        }
    }

    private void noticeOutage(List<Input> batch) {
        long now = now();
        long from = Math.max(aliveMillis, core.nowMillis());
        if (world.clock.now() - aliveAt > OUTAGE_MILLIS && from < now) {
            batch.addFirst(new Input.OutageEnded(from, now));
        }
        aliveAt = world.clock.now();
        aliveMillis = scheduler.wallMillis();
    }

    private void decide(List<Input> batch, long now) {
        List<Input> inputs = new ArrayList<>(batch);
        inputs.add(new Input.Tick(now));
        List<Event> events;
        try {
            events = core.decide(world.plant.ordered(inputs));
            core.checkInvariants();
        } catch (InvariantBroken e) {
            world.oracle.broken(scheduler, e);
            end();
            return;
        }
        if (events.isEmpty() || !scheduler.reach("decided")) {
            return;
        }
        world.oracle.decided(events.size());
        JournalTable.Append append = encode(inputs, events);
        if (appending) {
            waiting = append;
        } else {
            append(append);
        }
    }

    private JournalTable.Append encode(List<Input> inputs, List<Event> events) {
        List<EncodedEvent> encoded = new ArrayList<>();
        for (Event each : events) {
            encoded.add(EncodedEvent.of(each));
            if (each instanceof Event.ShardOwned owned) {
                positions.shardTaken(owned.shardEpoch());
            }
        }
        long last = core.seq();
        String vector = LaneVector.write(positions.copy());
        Map<String, Long> after = LaneVector.read(vector);
        JournalRow row =
                new JournalRow(
                        last - events.size() + 1,
                        last,
                        core.nowMillis(),
                        head.epoch(),
                        JournalRow.CODE_VERSION,
                        1,
                        after,
                        JournalBody.encode(inputs, encoded));
        CommittedRow committed =
                new CommittedRow(row.firstSeq(), last, row.atMillis(), after, encoded);
        return new JournalTable.Append(
                head.epoch(),
                row,
                committed,
                vector,
                LaneVector.write(offsets),
                scheduler.wallMillis());
    }

    private void append(JournalTable.Append append) {
        appending = true;
        world.database
                .execute(
                        scheduler,
                        "journal.append",
                        () -> world.database.journal.append(append, SimScheduler.LEASE_MILLIS))
                .onSuccess(written -> {
                    if (!written) {
                        end();
                    } else if (!over) {
                        committed(append);
                    }
                })
                .onFailure(_ -> end());
    }

    private void committed(JournalTable.Append append) {
        appending = false;
        beatAt = world.clock.now();
        publisher.offer(append.committed());
        JournalTable.Append next = waiting;
        waiting = null;
        if (next != null) {
            append(next);
        }
        plan(next == null ? 0 : 2);
    }

    private void tick() {
        if (over) {
            return;
        }
        plan(0);
        if (appending || world.clock.now() - beatAt < RENEW_MILLIS) {
            return;
        }
        long now = scheduler.wallMillis();
        beatAt = world.clock.now();
        world.database
                .execute(
                        scheduler,
                        "epoch.renew",
                        () ->
                                world.database.journal.renew(
                                        head.epoch(), now, SimScheduler.LEASE_MILLIS))
                .onSuccess(held -> {
                    if (!held) {
                        end();
                    }
                })
                .onFailure(_ -> end());
    }

    private void end() {
        if (!over) {
            over = true;
            timers.forEach(scheduler::cancel);
            consumers.forEach(SimConsumer::close);
            publisher.stop();
            scheduler.ended(this);
        }
    }
}
