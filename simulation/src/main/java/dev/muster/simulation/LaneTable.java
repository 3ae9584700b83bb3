package dev.muster.simulation;

import dev.muster.domain.Command;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;
import dev.muster.platform.codec.Codec;
import dev.muster.platform.codec.JobSpecJson;
import dev.muster.platform.kafka.LaneEntry;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The schema of the gateway: heads of lanes, specifications, intents, idempotency keys. */
final class LaneTable {

    record Head(long epoch, long n) {}

    /**
     * What is to become a row.
     *
     * @param body the canonical specification, or the command encoded
     * @param key null for none
     */
    record Item(String id, Command command, byte[] body, @Nullable String key) {
        boolean submission() {
            return command instanceof Command.SubmitJob;
        }
    }

    /** Places by id; those whose key was used before are left out. Null: fenced. */
    record Places(Map<String, Long> given) {}

    private static final class Lane {
        String owner = "";
        long epoch;
        long n;
        final TreeMap<Long, Item> rows = new TreeMap<>();
    }

    private final TreeMap<String, Lane> lanes = new TreeMap<>();
    private final TreeMap<String, String> keys = new TreeMap<>();
    private final TreeMap<JobId, byte[]> specs = new TreeMap<>();

    private Lane lane(String name) {
        return lanes.computeIfAbsent(name, _ -> new Lane());
    }

    Head takeOver(String name, String owner) {
        Lane lane = lane(name);
        lane.owner = owner;
        lane.epoch++;
        return new Head(lane.epoch, lane.n);
    }

    /** Null if another one took the lane over. */
    @Nullable Head resolve(String name, String owner) {
        Lane lane = lane(name);
        if (!lane.owner.equals(owner)) {
            return null;
        }
        lane.epoch++;
        return new Head(lane.epoch, lane.n);
    }

    /** The statement of acceptance; null if the epoch is not the lane's. */
    @Nullable Places accept(String name, long epoch, List<Item> batch) {
        Lane lane = lane(name);
        if (lane.epoch != epoch) {
            return null;
        }
        Map<String, Long> places = new TreeMap<>();
        for (Item each : batch) {
            if (each.key != null && keys.putIfAbsent(each.key, each.id) != null) {
                continue;
            }
            places.put(each.id, ++lane.n);
            lane.rows.put(lane.n, each);
            if (each.command instanceof Command.SubmitJob submit) {
                specs.put(submit.ask().job(), each.body);
            }
        }
        return new Places(places);
    }

    /** What was given between two heads. */
    Places given(String name, long after, long to) {
        Map<String, Long> places = new TreeMap<>();
        lane(name).rows.subMap(after, false, to, true).forEach((n, item) -> places.put(item.id, n));
        return new Places(places);
    }

    /** Entries from a place on, decoded from what the rows hold. */
    List<LaneEntry> read(String name, long from, int atMost) {
        List<LaneEntry> entries = new ArrayList<>();
        lane(name)
                .rows
                .subMap(from, true, from + atMost, false)
                .forEach((n, item) -> entries.add(entry(n, item)));
        return entries;
    }

    static LaneEntry entry(long n, Item item) {
        if (item.command instanceof Command.SubmitJob submit) {
            JobSpec spec = JobSpecJson.decode(item.body);
            Command.SubmitJob again =
                    new Command.SubmitJob(
                            spec.ask(submit.ask().job()),
                            spec.name(),
                            JobSpecJson.hash(item.body),
                            submit.acceptedAtMillis());
            String text = new String(item.body, StandardCharsets.UTF_8);
            return new LaneEntry(n, again, Codec.encode(again, text));
        }
        String type = Codec.type(item.command);
        return new LaneEntry(n, Codec.message(type, item.body).orThrow(), item.body);
    }

    /** The id that a key was used for first. */
    @Nullable String ofKey(String key) {
        return keys.get(key);
    }

    byte @Nullable [] spec(JobId job) {
        return specs.get(job);
    }
}
