package dev.muster.executor;

import dev.muster.agent.AgentSettings;
import dev.muster.platform.config.Declarations;
import dev.muster.platform.config.Setting;
import dev.muster.platform.config.Settings;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The executor's keys and failpoints. */
public final class ExecutorSettings implements Declarations {

    /** Where instances run. */
    public enum Backend {
        LOCAL,
        SIMULATED
    }

    public static final Setting<String> POOL =
            Setting.text("executor.pool", "public", "Pool whose nodes this executor runs.");
    public static final Setting<Backend> BACKEND =
            Setting.choice(
                    "executor.backend",
                    Backend.LOCAL,
                    "Real processes on this machine, or pretended ones for benchmarks.");
    public static final Setting<Integer> PORT =
            Setting.integer(
                    "executor.port", 0, 0, 65535, "Port of the internal API; 0 for a free one.");
    public static final Setting<Integer> LEASE_MILLIS =
            Setting.integer(
                    "executor.leaseMillis",
                    2500,
                    200,
                    60_000,
                    "Time after which another executor may take a silent one's shard over.");
    public static final Setting<Integer> RESYNC_MILLIS =
            Setting.integer(
                    "executor.resyncMillis",
                    10_000,
                    100,
                    600_000,
                    "Between two comparisons of everything that is desired and observed.");
    public static final Setting<Integer> LOG_READERS =
            Setting.integer(
                    "executor.logReaders", 64, 1, 10_000, "Logs that are read at the same time.");
    public static final Setting<List<String>> STORES =
            Setting.list(
                    "executor.stores",
                    List.of(),
                    "Object stores as scheme=directory; by default obs is the folder store of the"
                            + " data directory.");

    public static final Setting<Integer> LOCAL_NODES =
            Setting.integer(
                    "executor.local.nodes", 3, 1, 1000, "Nodes that this machine pretends to be.");
    public static final Setting<Integer> LOCAL_DEVICES =
            Setting.integer(
                    "executor.local.devices",
                    4,
                    0,
                    1024,
                    "Accelerators that each pretends to have.");
    public static final Setting<String> LOCAL_ACCELERATOR =
            Setting.text(
                    "executor.local.accelerator",
                    "pretend",
                    "Model of the pretended accelerators.");
    public static final Setting<Integer> LOCAL_CPU_CORES =
            Setting.integer("executor.local.cpuCores", 16, 1, 4096, "Cores of each node.");
    public static final Setting<Integer> LOCAL_MEMORY_GIBIBYTES =
            Setting.integer(
                    "executor.local.memoryGibibytes", 64, 1, 65_536, "Memory of each node.");
    public static final Setting<String> LOCAL_USER =
            Setting.text(
                    "executor.local.user",
                    "",
                    "User that commands run as; empty: the executor's own, or nobody if that is"
                            + " root.");
    public static final Setting<String> LOCAL_PATH =
            Setting.text(
                    "executor.local.path",
                    "",
                    "PATH that commands get unless the job sets one; empty: the executor's own.");
    public static final Setting<Integer> LOCAL_FIRST_PORT =
            Setting.integer(
                    "executor.local.firstPort",
                    23_456,
                    1024,
                    65_535,
                    "First port that MASTER_PORT is taken from, one per attempt.");
    public static final Setting<Integer> LOCAL_LAST_PORT =
            Setting.integer(
                    "executor.local.lastPort", 31_999, 1024, 65_535, "Last of these ports.");
    public static final Setting<Integer> LOCAL_TURNS =
            Setting.integer(
                    "executor.local.turns",
                    32,
                    1,
                    1000,
                    "Instances that are made or adopted at the same time.");
    public static final Setting<Integer> LOCAL_KEEP =
            Setting.integer(
                    "executor.local.keepAttempts",
                    200,
                    0,
                    100_000,
                    "Ended attempts whose logs and files are kept at most.");
    public static final Setting<Integer> LOCAL_KEEP_HOURS =
            Setting.integer(
                    "executor.local.keepHours", 24, 0, 8760, "Hours that they are kept at most.");

    public static final Setting<Integer> SYNC_INTERVAL_MILLIS =
            Setting.integer(
                    "executor.syncIntervalMillis",
                    30_000,
                    100,
                    3_600_000,
                    "Between two looks at the outputs of a running command.");
    public static final Setting<Integer> SYNC_BUDGET_MILLIS =
            Setting.integer(
                    "executor.syncBudgetMillis",
                    600_000,
                    1,
                    86_400_000,
                    "How long the final sync of outputs is tried.");
    public static final Setting<Integer> STOP_GRACE_MILLIS =
            Setting.integer(
                    "executor.stopGraceMillis",
                    10_000,
                    0,
                    3_600_000,
                    "From the request to end to the kill of a command.");
    public static final Setting<Integer> ANSWER_MILLIS =
            Setting.integer(
                    "executor.answerMillis",
                    30_000,
                    1000,
                    600_000,
                    "Silence after which an instance's supervisor is held for dead.");

    public static final Setting<Integer> PROGRESS_INTERVAL_MILLIS =
            Setting.integer(
                    "executor.progressIntervalMillis",
                    10_000,
                    100,
                    600_000,
                    "Between two records of what is heard of all running commands.");
    public static final Setting<String> EVIDENCE =
            Setting.text(
                    "executor.evidence",
                    AgentSettings.DEFAULT_EVIDENCE.toString(),
                    "Folder of the object store that evidence of hung commands is carried to.");

    public static final Setting<Integer> SIMULATED_NODES =
            Setting.integer(
                    "executor.simulated.nodes",
                    1000,
                    1,
                    100_000,
                    "Nodes of the simulated backend.");
    public static final Setting<Integer> SIMULATED_DEVICES =
            Setting.integer(
                    "executor.simulated.devices", 8, 0, 1024, "Accelerators of each of them.");
    public static final Setting<Integer> SIMULATED_RUN_MILLIS =
            Setting.integer(
                    "executor.simulated.runMillis",
                    0,
                    0,
                    86_400_000,
                    "How long an instance runs whose job has no SIMULATED_RUN_MILLIS.");

    /**
     * Folders of the object stores by scheme.
     *
     * @param folder of the data directory, which is obs where none is configured
     * @throws IllegalArgumentException with one sentence
     */
    public static Map<String, Path> stores(Settings settings, Path folder) {
        List<String> configured = settings.get(STORES);
        if (configured.isEmpty()) {
            return Map.of("obs", folder);
        }
        Map<String, Path> stores = new TreeMap<>();
        for (String entry : configured) {
            int equals = entry.indexOf('=');
            if (equals < 1 || equals == entry.length() - 1) {
                throw new IllegalArgumentException(
                        "executor.stores must be scheme=directory, not \"" + entry + '"');
            }
            stores.put(
                    entry.substring(0, equals),
                    Path.of(entry.substring(equals + 1)).toAbsolutePath().normalize());
        }
        return stores;
    }

    /** For {@link java.util.ServiceLoader}. */
    public ExecutorSettings() {}

    @Override
    public List<Setting<?>> settings() {
        return List.of(
                POOL,
                BACKEND,
                PORT,
                LEASE_MILLIS,
                RESYNC_MILLIS,
                LOG_READERS,
                STORES,
                LOCAL_NODES,
                LOCAL_DEVICES,
                LOCAL_ACCELERATOR,
                LOCAL_CPU_CORES,
                LOCAL_MEMORY_GIBIBYTES,
                LOCAL_USER,
                LOCAL_PATH,
                LOCAL_FIRST_PORT,
                LOCAL_LAST_PORT,
                LOCAL_TURNS,
                LOCAL_KEEP,
                LOCAL_KEEP_HOURS,
                SYNC_INTERVAL_MILLIS,
                SYNC_BUDGET_MILLIS,
                STOP_GRACE_MILLIS,
                ANSWER_MILLIS,
                PROGRESS_INTERVAL_MILLIS,
                EVIDENCE,
                SIMULATED_NODES,
                SIMULATED_DEVICES,
                SIMULATED_RUN_MILLIS);
    }

    @Override
    public List<String> failpoints() {
        List<String> own =
                List.of(
                        "executor.lease.taken",
                        "executor.order.planned",
                        "executor.order.given",
                        "executor.report.sent",
                        "executor.attempt.released",
                        "executor.attempt.ended");
        // the agent has no platform to declare its own with
        return Stream.concat(own.stream(), AgentSettings.FAILPOINTS.stream()).toList();
    }
}
