package dev.muster.simulation;

import com.fasterxml.jackson.databind.JsonNode;

import dev.muster.domain.Event;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.Json;
import dev.muster.scheduler.CommittedRow;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntConsumer;

/**
 * Those who are told by webhook, each of one project: they read what is sent, and are sometimes not
 * there. They may hear a delivery twice, but then under the same id and with the same bytes.
 */
final class SimReceivers {

    static final int COUNT = 3;
    private static final List<String> PROJECTS = List.of("research", "vision", "research");

    private static final class Receiver {
        long downUntil;
        final TreeSet<Long> expected = new TreeSet<>();
        final TreeMap<Long, String> bodies = new TreeMap<>();
        final Map<String, Long> lastOfJob = new HashMap<>();
    }

    private final World world;
    private final List<Receiver> receivers = new ArrayList<>();

    SimReceivers(World world) {
        this.world = world;
        for (int i = 0; i < COUNT; i++) {
            receivers.add(new Receiver());
        }
    }

    /** Subscriptions of a project. */
    static List<Integer> takers(String project) {
        List<Integer> takers = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            if (PROJECTS.get(i).equals(project)) {
                takers.add(i);
            }
        }
        return takers;
    }

    void down(int receiver, long millis) {
        receivers.get(receiver).downUntil = world.clock.now() + millis;
    }

    void committed(CommittedRow row) {
        for (int i = 0; i < row.events().size(); i++) {
            EncodedEvent each = row.events().get(i);
            if (each.event() instanceof Event.OfJob ofJob) {
                long seq = row.firstSeq() + i;
                for (int taker : takers(ofJob.project().value())) {
                    receivers.get(taker).expected.add(seq);
                }
            }
        }
    }

    /**
     * A request; the answer may come after its sender has died.
     *
     * @param answer 200, or 503 from one that is down
     */
    void post(int number, String id, byte[] body, IntConsumer answer) {
        Receiver receiver = receivers.get(number);
        world.clock.in(
                world.clock.between(1, 60),
                () -> {
                    boolean up = world.clock.now() >= receiver.downUntil;
                    if (up) {
                        heard(receiver, number, id, body);
                    }
                    world.clock.in(world.clock.between(1, 40), () -> answer.accept(up ? 200 : 503));
                });
    }

    private void heard(Receiver receiver, int number, String id, byte[] body) {
        Oracle oracle = world.oracle;
        JsonNode event;
        try {
            event = Json.json().readTree(body);
        } catch (IOException e) {
            oracle.violated("deliveries can be read", String.valueOf(e.getMessage()));
            return;
        }
        long seq = event.path("musterseq").asLong();
        String job = event.path("musterjob").asText();
        oracle.require(
                id.equals(event.path("id").asText() + "-" + number),
                "ids of deliveries are stable",
                id);
        String text = new String(body, java.nio.charset.StandardCharsets.UTF_8);
        String before = receiver.bodies.put(seq, text);
        oracle.require(before == null || before.equals(text), "a repeat is the same", id);
        if (before == null) {
            long last = receiver.lastOfJob.getOrDefault(job, 0L);
            oracle.require(seq > last, "a job's deliveries come in order", id + " after " + last);
            receiver.lastOfJob.put(job, seq);
        }
    }

    /** Null when all that was to be told was told. */
    @Nullable String unsettled() {
        for (int i = 0; i < COUNT; i++) {
            Receiver each = receivers.get(i);
            if (!each.expected.equals(each.bodies.keySet())) {
                TreeSet<Long> missing = new TreeSet<>(each.expected);
                missing.removeAll(each.bodies.keySet());
                return "deliveries are complete: receiver " + i + " lacks " + missing;
            }
        }
        return world.database.notifier.allSettled()
                ? null
                : "deliveries are complete: some are not written down";
    }
}
