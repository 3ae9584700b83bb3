package dev.muster.notifier;

import dev.muster.platform.config.Declarations;
import dev.muster.platform.config.Setting;

import java.util.List;

/** The notifier's keys and its failpoints. */
public final class NotifierSettings implements Declarations {

    public static final Setting<Integer> PORT =
            Setting.integer("notifier.port", 0, 0, 65_535, "Port of the internal API; 0 for any.");
    public static final Setting<List<String>> ALLOWED_NETWORKS =
            Setting.list(
                    "notifier.allowedNetworks",
                    List.of(),
                    "a list of networks such as 10.0.0.0/8 or fd00::/8, or separated by commas",
                    Network::fits,
                    "Networks (CIDR) that webhooks may reach although they are loopback, private,"
                            + " link-local or otherwise not public; http is allowed there too.");
    public static final Setting<Boolean> ALLOW_HTTP =
            Setting.flag(
                    "notifier.allowHttp",
                    false,
                    "Whether webhooks to public addresses may go over http.");
    static final Setting<Integer> CONCURRENCY =
            Setting.integer(
                    "notifier.concurrency", 512, 1, 10_000, "Requests under way at once, in all.");
    static final Setting<Integer> TARGET_CONCURRENCY =
            Setting.integer(
                    "notifier.targetConcurrency",
                    16,
                    1,
                    1_000,
                    "Requests under way at once to one target (scheme, host and port).");
    static final Setting<Integer> TIMEOUT_MILLIS =
            Setting.integer(
                    "notifier.timeoutMillis",
                    10_000,
                    50,
                    300_000,
                    "How long a target may take to answer.");
    static final Setting<Integer> RESPONSE_BYTES =
            Setting.integer(
                    "notifier.responseBytes",
                    64 << 10,
                    0,
                    16 << 20,
                    "Bytes of an answer that are read, and thrown away, before its connection is"
                            + " closed.");
    static final Setting<Integer> BACKOFF_MILLIS =
            Setting.integer(
                    "notifier.backoffMillis",
                    1_000,
                    1,
                    3_600_000,
                    "Longest pause before the second attempt; it doubles with each.");
    static final Setting<Integer> BACKOFF_MAX_MILLIS =
            Setting.integer(
                    "notifier.backoffMaxMillis",
                    3_600_000,
                    1,
                    86_400_000,
                    "Longest pause before any attempt.");
    static final Setting<Integer> MAX_ATTEMPTS =
            Setting.integer(
                    "notifier.maxAttempts",
                    16,
                    1,
                    1_000,
                    "Attempts after which a delivery is dead.");
    static final Setting<Integer> MAX_AGE_SECONDS =
            Setting.integer(
                    "notifier.maxAgeSeconds",
                    259_200,
                    1,
                    2_592_000,
                    "Age at which a delivery that fails is dead.");
    static final Setting<Integer> CIRCUIT_FAILURES =
            Setting.integer(
                    "notifier.circuit.failures",
                    5,
                    1,
                    1_000,
                    "Failures in a row after which nothing is sent to a target for a while.");
    static final Setting<Integer> CIRCUIT_MILLIS =
            Setting.integer(
                    "notifier.circuit.openMillis",
                    5_000,
                    1,
                    3_600_000,
                    "That while, at first; it doubles with each probe that fails.");
    static final Setting<Integer> CIRCUIT_MAX_MILLIS =
            Setting.integer(
                    "notifier.circuit.maxOpenMillis",
                    300_000,
                    1,
                    86_400_000,
                    "That while, at most.");
    static final Setting<Integer> LEASE_MILLIS =
            Setting.integer(
                    "notifier.leaseMillis",
                    10_000,
                    200,
                    600_000,
                    "How long a mailbox, or a pool's position, stays with a notifier that shows no"
                            + " sign.");
    static final Setting<Integer> CLAIM_ROWS =
            Setting.integer(
                    "notifier.claimRows", 500, 1, 10_000, "Mailboxes claimed at once, at most.");
    static final Setting<Integer> CLAIM_MILLIS =
            Setting.integer(
                    "notifier.claimMillis",
                    1_000,
                    10,
                    60_000,
                    "How often mailboxes that others left are looked for.");
    static final Setting<Integer> MAILBOXES =
            Setting.integer(
                    "notifier.mailboxes", 20_000, 1, 1_000_000, "Mailboxes held at once, at most.");
    static final Setting<Integer> IDLE_MILLIS =
            Setting.integer(
                    "notifier.idleMillis",
                    5_000,
                    1,
                    600_000,
                    "How long an empty mailbox is kept before it is given back.");
    static final Setting<Integer> WINDOW =
            Setting.integer(
                    "notifier.window",
                    2_000,
                    1,
                    100_000,
                    "Deliveries of a mailbox that are kept in memory, at most.");
    static final Setting<Integer> WINDOW_ALL =
            Setting.integer(
                    "notifier.windowAll",
                    100_000,
                    100,
                    10_000_000,
                    "Deliveries kept in memory, of all mailboxes, at most.");
    static final Setting<Integer> FOLD_BATCH =
            Setting.integer(
                    "notifier.fold.batch", 1_000, 1, 50_000, "Events made deliveries at once.");
    static final Setting<Integer> FOLD_QUEUE =
            Setting.integer(
                    "notifier.fold.queue",
                    20_000,
                    1,
                    1_000_000,
                    "Events of a pool that may wait to become deliveries; what exceeds it is read"
                            + " back.");
    static final Setting<Integer> FOLD_ROWS =
            Setting.integer(
                    "notifier.fold.rows",
                    20_000,
                    1,
                    1_000_000,
                    "Deliveries written at once, about.");
    static final Setting<Integer> POOLS_MILLIS =
            Setting.integer(
                    "notifier.poolsMillis", 2_000, 50, 600_000, "How often pools are looked for.");
    static final Setting<Integer> KEEP_MINUTES =
            Setting.integer(
                    "notifier.keepMinutes",
                    1_440,
                    1,
                    525_600,
                    "How long deliveries that arrived are shown.");
    static final Setting<Integer> KEEP_DEAD_HOURS =
            Setting.integer(
                    "notifier.keepDeadHours",
                    720,
                    1,
                    87_600,
                    "How long dead deliveries can be tried again.");

    static final String BEFORE_FOLD = "notifier.fold.before-commit";
    static final String FOLDED = "notifier.fold.committed";
    static final String CLAIMED = "notifier.claim.committed";
    static final String LOADED = "notifier.mailbox.loaded";
    static final String SENDING = "notifier.delivery.sending";
    static final String ANSWERED = "notifier.delivery.answered";
    static final String BEFORE_SETTLE = "notifier.settle.before-commit";
    static final String SETTLED = "notifier.settle.committed";
    static final String RELEASED = "notifier.release.committed";
    static final String REVIVED = "notifier.retry.committed";

    /** By the order in which they are reached. */
    static final List<String> FAILPOINTS =
            List.of(
                    BEFORE_FOLD,
                    FOLDED,
                    CLAIMED,
                    LOADED,
                    SENDING,
                    ANSWERED,
                    BEFORE_SETTLE,
                    SETTLED,
                    RELEASED,
                    REVIVED);

    /** For {@link java.util.ServiceLoader}. */
    public NotifierSettings() {}

    @Override
    public List<Setting<?>> settings() {
        return List.of(
                PORT,
                ALLOWED_NETWORKS,
                ALLOW_HTTP,
                CONCURRENCY,
                TARGET_CONCURRENCY,
                TIMEOUT_MILLIS,
                RESPONSE_BYTES,
                BACKOFF_MILLIS,
                BACKOFF_MAX_MILLIS,
                MAX_ATTEMPTS,
                MAX_AGE_SECONDS,
                CIRCUIT_FAILURES,
                CIRCUIT_MILLIS,
                CIRCUIT_MAX_MILLIS,
                LEASE_MILLIS,
                CLAIM_ROWS,
                CLAIM_MILLIS,
                MAILBOXES,
                IDLE_MILLIS,
                WINDOW,
                WINDOW_ALL,
                FOLD_BATCH,
                FOLD_QUEUE,
                FOLD_ROWS,
                POOLS_MILLIS,
                KEEP_MINUTES,
                KEEP_DEAD_HOURS);
    }

    @Override
    public List<String> failpoints() {
        return FAILPOINTS;
    }
}
