package dev.muster.scheduler;

import dev.muster.platform.config.Declarations;
import dev.muster.platform.config.Setting;

import java.util.List;
import java.util.stream.Stream;

/** The scheduler's keys and failpoints. */
public final class SchedulerSettings implements Declarations {

    static final Setting<Integer> PORT =
            Setting.integer(
                    "scheduler.port", 0, 0, 65535, "Port of its internal API; 0 for any free one.");
    static final Setting<List<String>> POOLS =
            Setting.list("scheduler.pools", List.of(), "Pools that it may lead; empty for all.");
    static final Setting<Integer> LEASE_MILLIS =
            Setting.integer(
                    "scheduler.leaseMillis",
                    2000,
                    500,
                    60_000,
                    "Silence of a pool's leader, by PostgreSQL's clock, after which a standby takes"
                            + " over.");
    static final Setting<Integer> BALANCE_SECONDS =
            Setting.integer(
                    "scheduler.balanceSeconds",
                    5,
                    0,
                    3600,
                    "How often a scheduler looks whether pools that it leads should be another"
                            + " one's; 0 for never.");
    static final Setting<Integer> OUTAGE_MILLIS =
            Setting.integer(
                    "scheduler.outageMillis",
                    5000,
                    1000,
                    3_600_000,
                    "A gap in our own availability from this on shifts the jobs' deadlines.");
    static final Setting<Integer> BATCH_INPUTS =
            Setting.integer(
                    "scheduler.batch.inputs", 1000, 1, 20_000, "Inputs of one decision, at most.");
    static final Setting<Integer> BATCH_BYTES =
            Setting.integer(
                    "scheduler.batch.bytes", 1 << 20, 4096, 16 << 20, "Their bytes, at most.");
    static final Setting<Integer> LINGER_MILLIS =
            Setting.integer(
                    "scheduler.batch.lingerMillis",
                    2,
                    0,
                    1000,
                    "Least time from one decision to the next: inputs that arrive meanwhile share a"
                            + " row.");
    static final Setting<Integer> FEED_BYTES =
            Setting.integer(
                    "scheduler.feedBytes",
                    32 << 20,
                    1 << 16,
                    1 << 30,
                    "Events kept in memory for the publisher and for the follower, each; one that"
                            + " falls behind reads the journal.");
    static final Setting<Integer> REFILL_EVENTS =
            Setting.integer(
                    "scheduler.publish.refillEvents",
                    100_000,
                    0,
                    10_000_000,
                    "Events that a new leader publishes again, at most, when the topic lost its"
                            + " own.");
    static final Setting<Integer> SNAPSHOT_EVENTS =
            Setting.integer(
                    "scheduler.snapshot.events",
                    100_000,
                    1,
                    100_000_000,
                    "Events after which the follower writes a snapshot.");
    static final Setting<Integer> SNAPSHOT_SECONDS =
            Setting.integer(
                    "scheduler.snapshot.seconds",
                    60,
                    1,
                    86_400,
                    "Time after which it writes one when anything happened.");
    static final Setting<Integer> SNAPSHOT_KEEP =
            Setting.integer("scheduler.snapshot.keep", 3, 1, 100, "Snapshots kept of each pool.");
    static final Setting<Integer> KEEP_WEEKS =
            Setting.integer(
                    "scheduler.journal.keepWeeks",
                    8,
                    1,
                    520,
                    "Weeks of the journal that stay in PostgreSQL; those that ended before are"
                            + " moved to journal.store once nobody reads them any more.");
    static final Setting<Integer> ROLL_SECONDS =
            Setting.integer(
                    "scheduler.journal.rollSeconds",
                    3600,
                    1,
                    86_400,
                    "Time from one look for such weeks to the next.");

    /** For {@link java.util.ServiceLoader}. */
    public SchedulerSettings() {}

    @Override
    public List<Setting<?>> settings() {
        return List.of(
                PORT,
                POOLS,
                LEASE_MILLIS,
                BALANCE_SECONDS,
                OUTAGE_MILLIS,
                BATCH_INPUTS,
                BATCH_BYTES,
                LINGER_MILLIS,
                FEED_BYTES,
                REFILL_EVENTS,
                SNAPSHOT_EVENTS,
                SNAPSHOT_SECONDS,
                SNAPSHOT_KEEP,
                KEEP_WEEKS,
                ROLL_SECONDS);
    }

    @Override
    public List<String> failpoints() {
        return Stream.concat(Step.names().stream(), RollStep.names().stream()).toList();
    }
}
