package dev.muster.gateway;

import dev.muster.domain.Limit;
import dev.muster.domain.Limits;
import dev.muster.platform.config.Declarations;
import dev.muster.platform.config.Setting;
import dev.muster.platform.config.Settings;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The gateway's keys, its failpoints, and the limits of specifications as keys. */
public final class GatewaySettings implements Declarations {

    public static final Setting<Integer> PORT =
            Setting.integer("gateway.port", 8460, 0, 65_535, "Port of the public API; 0 for any.");
    static final Setting<Integer> BATCH_ROWS =
            Setting.integer(
                    "gateway.accept.batchRows",
                    512,
                    1,
                    10_000,
                    "Submissions written at once, at most.");
    static final Setting<Integer> BATCH_BYTES =
            Setting.integer(
                    "gateway.accept.batchBytes",
                    4 << 20,
                    1 << 16,
                    64 << 20,
                    "Bytes of specifications written at once, about.");
    static final Setting<Integer> GATHER_MILLIS =
            Setting.integer(
                    "gateway.accept.gatherMillis",
                    2,
                    0,
                    50,
                    "Least time between two batches of a lane: what comes meanwhile is gathered.");
    static final Setting<Integer> QUEUE_ENTRIES =
            Setting.integer(
                    "gateway.accept.queue",
                    8_192,
                    1,
                    1_000_000,
                    "Submissions of a lane that may wait for their batch; beyond it 429.");
    static final Setting<Long> HELD_BYTES =
            Setting.whole(
                    "gateway.accept.heldBytes",
                    64L << 20,
                    1L << 20,
                    4L << 30,
                    "Bytes of request bodies held at once, all together; beyond it 429.");
    static final Setting<Integer> ACCEPT_TIMEOUT_MILLIS =
            Setting.integer(
                    "gateway.accept.timeoutMillis",
                    15_000,
                    100,
                    600_000,
                    "Time after which a submission that is not durable is answered with 503.");
    static final Setting<Integer> COMMAND_WAIT_MILLIS =
            Setting.integer(
                    "gateway.command.waitMillis",
                    2_000,
                    0,
                    60_000,
                    "How long the answer to a command waits for the scheduler's fact.");
    static final Setting<Integer> KEY_HOURS =
            Setting.integer(
                    "gateway.idempotency.hours",
                    24,
                    1,
                    8_760,
                    "How long an Idempotency-Key is remembered.");
    static final Setting<Integer> ARCHIVE_AFTER_MINUTES =
            Setting.integer(
                    "gateway.archive.afterMinutes",
                    1_440,
                    0,
                    5_256_000,
                    "Time after its end when a job moves to the archive, where lists find it too.");
    static final Setting<Integer> ARCHIVE_KEEP =
            Setting.integer(
                    "gateway.archive.keep",
                    50_000,
                    0,
                    100_000_000,
                    "Ended jobs outside the archive, at most; beyond it the oldest move earlier.");
    static final Setting<Integer> ARCHIVE_EVERY_MILLIS =
            Setting.integer(
                    "gateway.archive.everyMillis",
                    60_000,
                    50,
                    86_400_000,
                    "Between two looks for jobs to archive.");
    static final Setting<Integer> POOLS_MILLIS =
            Setting.integer(
                    "gateway.pools.refreshMillis",
                    2_000,
                    100,
                    600_000,
                    "How often pools are read.");
    static final Setting<Integer> RING_ENTRIES =
            Setting.integer(
                    "gateway.events.ringEntries",
                    16_384,
                    16,
                    10_000_000,
                    "Latest events of a pool kept in memory for streams; older ones are read"
                            + " back.");
    static final Setting<Long> RING_BYTES =
            Setting.whole(
                    "gateway.events.ringBytes",
                    32L << 20,
                    1L << 16,
                    4L << 30,
                    "Their bytes, at most.");
    static final Setting<Integer> SUBSCRIBERS =
            Setting.integer(
                    "gateway.events.subscribers",
                    1_000,
                    1,
                    100_000,
                    "Open streams, at most; then 429.");
    static final Setting<Integer> SUBSCRIBER_BYTES =
            Setting.integer(
                    "gateway.events.bufferBytes",
                    256 << 10,
                    4 << 10,
                    64 << 20,
                    "Bytes that wait for one subscriber.");
    static final Setting<Integer> STALL_MILLIS =
            Setting.integer(
                    "gateway.events.stallMillis",
                    30_000,
                    100,
                    3_600_000,
                    "A subscriber that takes nothing for so long is cut off; it may resume.");
    static final Setting<Integer> HEARTBEAT_MILLIS =
            Setting.integer(
                    "gateway.events.heartbeatMillis",
                    15_000,
                    50,
                    600_000,
                    "How often a quiet stream shows that it lives.");
    static final Setting<Integer> VIEW_BATCH =
            Setting.integer(
                    "gateway.view.batch",
                    2_000,
                    1,
                    50_000,
                    "Events folded into the views at once.");
    static final Setting<Integer> VIEW_QUEUE =
            Setting.integer(
                    "gateway.view.queue",
                    20_000,
                    1,
                    1_000_000,
                    "Events that may wait for the views; what exceeds it is read back.");
    static final Setting<Integer> VIEW_LEASE_MILLIS =
            Setting.integer(
                    "gateway.view.leaseMillis",
                    2_000,
                    200,
                    60_000,
                    "How long one gateway keeps the writing of a pool's views without a sign.");

    static final Setting<Integer> PROJECT_SUBSCRIPTIONS =
            Setting.integer(
                    "gateway.subscriptions.perProject",
                    1_000,
                    1,
                    100_000,
                    "Webhook subscriptions to all jobs of one project, at most.");
    static final Setting<Integer> JOB_SUBSCRIPTIONS =
            Setting.integer(
                    "gateway.subscriptions.perJob",
                    20,
                    1,
                    1_000,
                    "Webhook subscriptions to one job, at most.");

    /** Commands end here, by the order in which they are reached. */
    static final List<String> FAILPOINTS =
            List.of(
                    "gateway.lane.taken",
                    "gateway.batch.before-commit",
                    "gateway.batch.committed",
                    "gateway.batch.answered",
                    "gateway.batch.resolved",
                    "gateway.published",
                    "gateway.intent.before-commit",
                    "gateway.intent.committed",
                    "gateway.view.before-commit",
                    "gateway.view.committed");

    private static final Map<Limit, Setting<Integer>> LIMITS = limitSettings();

    /** For {@link java.util.ServiceLoader}. */
    public GatewaySettings() {}

    private static Map<Limit, Setting<Integer>> limitSettings() {
        Map<Limit, Setting<Integer>> settings = new EnumMap<>(Limit.class);
        for (Limit limit : Limit.values()) {
            settings.put(
                    limit,
                    Setting.integer(
                            "limits." + limit.key(),
                            limit.byDefault(),
                            limit.least(),
                            limit.greatest(),
                            "Limit: " + limit.meaning() + " (" + limit.source() + ")."));
        }
        return settings;
    }

    /** The limits as the operator set them. */
    static Limits limits(Settings settings) {
        return Limits.of(limit -> settings.get(Objects.requireNonNull(LIMITS.get(limit))));
    }

    @Override
    public List<Setting<?>> settings() {
        List<Setting<?>> all =
                new ArrayList<>(
                        List.of(
                                PORT,
                                BATCH_ROWS,
                                BATCH_BYTES,
                                GATHER_MILLIS,
                                QUEUE_ENTRIES,
                                HELD_BYTES,
                                ACCEPT_TIMEOUT_MILLIS,
                                COMMAND_WAIT_MILLIS,
                                KEY_HOURS,
                                ARCHIVE_AFTER_MINUTES,
                                ARCHIVE_KEEP,
                                ARCHIVE_EVERY_MILLIS,
                                POOLS_MILLIS,
                                RING_ENTRIES,
                                RING_BYTES,
                                SUBSCRIBERS,
                                SUBSCRIBER_BYTES,
                                STALL_MILLIS,
                                HEARTBEAT_MILLIS,
                                VIEW_BATCH,
                                VIEW_QUEUE,
                                VIEW_LEASE_MILLIS,
                                PROJECT_SUBSCRIPTIONS,
                                JOB_SUBSCRIPTIONS));
        all.addAll(LIMITS.values());
        return List.copyOf(all);
    }

    @Override
    public List<String> failpoints() {
        return FAILPOINTS;
    }
}
