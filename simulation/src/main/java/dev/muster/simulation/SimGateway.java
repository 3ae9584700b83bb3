package dev.muster.simulation;

import dev.muster.platform.kafka.LaneEntry;
import dev.muster.platform.kafka.LaneRoute;
import dev.muster.platform.kafka.LaneSender;
import dev.muster.simulation.LaneTable.Head;
import dev.muster.simulation.LaneTable.Item;
import dev.muster.simulation.LaneTable.Places;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A gateway: the only writer of its lane, one batch on its way at a time, as {@code LaneWriter} has
 * it; from there on the lane is the real one.
 */
final class SimGateway extends SimProcess {

    private static final long GATHER_MILLIS = 10;
    private static final long RETRY_MILLIS = 200;
    private static final long RESTART_MILLIS = 2_000;
    private static final int BATCH = 8;

    /** What waits, and who is told the id of what became durable. */
    private record Waiting(Item item, Consumer<String> answer) {}

    private final LaneRoute route;
    private final Deque<Waiting> queue = new ArrayDeque<>();
    private @Nullable Head head;
    private @Nullable LaneSender sender;
    private boolean busy;

    SimGateway(World world, String name) {
        super(world, name);
        this.route = LaneRoute.ofGateway(name, World.POOL, World.TOPICS, 0);
    }

    private String lane() {
        return route.lane().value();
    }

    private String owner() {
        return name + "#" + life();
    }

    @Override
    void begin() {
        queue.clear();
        head = null;
        sender = null;
        busy = false;
        String owner = owner();
        world.database
                .execute(this, "lane.take", () -> world.database.lanes.takeOver(lane(), owner))
                .onSuccess(this::taken)
                .onFailure(_ -> crash(RESTART_MILLIS)); // a start that fails ends the process
    }

    private void taken(Head now) {
        head = now;
        sender =
                LaneSender.open(
                        route,
                        world.lane(
                                this,
                                (from, atMost) ->
                                        world.database.execute(
                                                this,
                                                "lane.read",
                                                () ->
                                                        world.database.lanes.read(
                                                                lane(), from, atMost))),
                        now.n());
    }

    /** A request; it is answered with the id of what is durable, or not at all. */
    void take(Item item, Consumer<String> answer) {
        if (reach("request") && head != null) {
            queue.add(new Waiting(item, answer));
            later(GATHER_MILLIS, this::flush);
        }
    }

    private void flush() {
        Head at = head;
        if (busy || queue.isEmpty() || at == null) {
            return;
        }
        busy = true;
        List<Waiting> batch = new ArrayList<>();
        while (batch.size() < BATCH && !queue.isEmpty()) {
            batch.add(queue.remove());
        }
        List<Item> items = batch.stream().map(Waiting::item).toList();
        world.database
                .execute(
                        this,
                        "batch.accept",
                        () ->
                                Optional.ofNullable(
                                        world.database.lanes.accept(lane(), at.epoch(), items)))
                .onSuccess(found -> found.ifPresentOrElse(p -> committed(batch, p), this::fenced))
                .onFailure(cause -> {
                    if (SimDatabase.unknown(cause) && !world.plant.assumesNothingWritten()) {
                        resolve(batch);
                    } else {
                        again(batch);
                    }
                });
    }

    private void again(List<Waiting> batch) {
        batch.reversed().forEach(queue::addFirst);
        busy = false;
        later(RETRY_MILLIS, this::flush);
    }

    /** Another process took the lane: whoever watches over this one starts it anew. */
    private void fenced() {
        world.oracle.fenced(this);
        crash(RESTART_MILLIS);
    }

    private void resolve(List<Waiting> batch) {
        Head before = head;
        if (before == null) {
            return;
        }
        String owner = owner();
        world.database
                .execute(
                        this,
                        "lane.resolve",
                        () -> Optional.ofNullable(world.database.lanes.resolve(lane(), owner)))
                .onFailure(_ -> later(RETRY_MILLIS, () -> resolve(batch)))
                .onSuccess(now ->
                        now.ifPresentOrElse(found -> resolved(batch, before, found), this::fenced));
    }

    private void resolved(List<Waiting> batch, Head before, Head now) {
        head = new Head(now.epoch(), before.n());
        if (now.n() == before.n()) {
            again(batch);
            return;
        }
        world.database
                .execute(
                        this,
                        "lane.given",
                        () -> world.database.lanes.given(lane(), before.n(), now.n()))
                .onSuccess(places -> committed(batch, places))
                .onFailure(_ -> later(RETRY_MILLIS, () -> resolve(batch)));
    }

    private void committed(List<Waiting> batch, Places places) {
        Head at = head;
        LaneSender out = sender;
        if (at == null || out == null) {
            return;
        }
        Places given = world.plant.numbered(places, at.n());
        head = new Head(at.epoch(), at.n() + given.given().size());
        List<LaneEntry> entries = new ArrayList<>();
        for (Waiting each : batch) {
            Long n = given.given().get(each.item.id());
            if (n != null) {
                entries.add(LaneTable.entry(n, each.item));
                answer(each, each.item.id());
            } else {
                repeated(each, String.valueOf(each.item.key()));
            }
        }
        if (reach("batch.answered")) {
            out.publish(entries);
        }
        busy = false;
        flush();
    }

    private void repeated(Waiting waiting, String key) {
        world.database
                .execute(
                        this,
                        "key.read",
                        () -> Optional.ofNullable(world.database.lanes.ofKey(key)))
                .onSuccess(found -> found.ifPresent(id -> answer(waiting, id)))
                .onFailure(world::unheard);
    }

    private void answer(Waiting waiting, String id) {
        if (alive()) {
            world.clock.in(world.clock.between(1, 5), () -> waiting.answer.accept(id));
        }
    }
}
