package dev.muster.executor;

import dev.muster.agent.AgentSettings;
import dev.muster.agent.DataLimits;
import dev.muster.agent.Isolation;
import dev.muster.domain.NodeId;
import dev.muster.domain.NodeShape;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.Failpoints;
import dev.muster.storage.FileObjectStore;
import dev.muster.storage.ObjectLocation;
import dev.muster.storage.ObjectStore;
import dev.muster.storage.ObjectStores;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;

/** Makes the backend that the settings name. */
final class Backends {

    private static final String USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

    private Backends() {}

    /**
     * Blocks.
     *
     * @throws IOException whose message is one sentence for the user
     */
    static InstanceBackend of(Settings settings) throws IOException {
        return switch (settings.get(ExecutorSettings.BACKEND)) {
            case LOCAL -> local(settings);
            case SIMULATED -> simulated(settings);
        };
    }

    private static InstanceBackend simulated(Settings settings) {
        NodeShape shape =
                new NodeShape(
                        settings.get(ExecutorSettings.LOCAL_CPU_CORES) * 1000,
                        settings.get(ExecutorSettings.LOCAL_MEMORY_GIBIBYTES) * 1024,
                        settings.get(ExecutorSettings.LOCAL_ACCELERATOR),
                        settings.get(ExecutorSettings.SIMULATED_DEVICES),
                        "");
        return new SimulatedBackend(
                nodes(settings.get(ExecutorSettings.SIMULATED_NODES), shape),
                settings.get(ExecutorSettings.SIMULATED_RUN_MILLIS));
    }

    private static InstanceBackend local(Settings settings) throws IOException {
        NodeShape shape =
                new NodeShape(
                        settings.get(ExecutorSettings.LOCAL_CPU_CORES) * 1000,
                        settings.get(ExecutorSettings.LOCAL_MEMORY_GIBIBYTES) * 1024,
                        settings.get(ExecutorSettings.LOCAL_ACCELERATOR),
                        settings.get(ExecutorSettings.LOCAL_DEVICES),
                        "");
        return new LocalBackend(
                nodes(settings.get(ExecutorSettings.LOCAL_NODES), shape), machine(settings));
    }

    static LocalMachine machine(Settings settings) throws IOException {
        Path data = dataDirectory(settings);
        LocalHome home = LocalHome.open(data, settings.get(ExecutorSettings.LOCAL_USER));
        LoopbackNetwork network =
                new LoopbackNetwork(
                        settings.get(ExecutorSettings.LOCAL_FIRST_PORT),
                        settings.get(ExecutorSettings.LOCAL_LAST_PORT));
        AgentSettings agents =
                new AgentSettings(
                        stores(settings, data),
                        Isolation.probe(),
                        Failpoints::reach,
                        evidence(settings),
                        settings.get(ExecutorSettings.ANSWER_MILLIS),
                        settings.get(ExecutorSettings.SYNC_BUDGET_MILLIS));
        return new LocalMachine(
                home.tree(),
                new MeetingPlaces(home.tree(), network),
                agents,
                new InstancePlans.Rules(
                        DataLimits.DEFAULTS,
                        settings.get(ExecutorSettings.SYNC_INTERVAL_MILLIS),
                        settings.get(ExecutorSettings.STOP_GRACE_MILLIS),
                        home.user(),
                        path(settings)),
                new Semaphore(settings.get(ExecutorSettings.LOCAL_TURNS)));
    }

    static Retention retention(Settings settings, InstanceTree tree) {
        return new Retention(
                tree,
                settings.get(ExecutorSettings.LOCAL_KEEP),
                settings.get(ExecutorSettings.LOCAL_KEEP_HOURS));
    }

    private static ObjectLocation evidence(Settings settings) throws IOException {
        String configured = settings.get(ExecutorSettings.EVIDENCE);
        try {
            return ObjectLocation.parse(configured);
        } catch (IllegalArgumentException e) {
            throw new IOException("executor.evidence: " + e.getMessage(), e);
        }
    }

    private static String path(Settings settings) {
        String configured = settings.get(ExecutorSettings.LOCAL_PATH);
        String own = System.getenv().getOrDefault("PATH", USUAL_PATH);
        return configured.isEmpty() ? own : configured;
    }

    private static Path dataDirectory(Settings settings) throws IOException {
        String configured = settings.get(PlatformSettings.DATA_DIR);
        if (configured.isEmpty()) {
            throw new IOException("the local backend needs data.dir, which is not set");
        }
        return Path.of(configured).toAbsolutePath().normalize();
    }

    private static ObjectStores stores(Settings settings, Path data) throws IOException {
        Map<String, ObjectStore> byScheme = new TreeMap<>();
        for (Map.Entry<String, Path> each : folders(settings, data).entrySet()) {
            try {
                byScheme.put(each.getKey(), new FileObjectStore(each.getValue()));
            } catch (java.nio.file.FileSystemException e) {
                throw new IOException(
                        "the object store at "
                                + each.getValue()
                                + " cannot be used: "
                                + Sentences.of(e),
                        e);
            }
        }
        return ObjectStores.of(byScheme);
    }

    private static Map<String, Path> folders(Settings settings, Path data) throws IOException {
        try {
            return ExecutorSettings.stores(settings, data.resolve("store"));
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static List<BackendNode> nodes(int count, NodeShape shape) {
        List<BackendNode> nodes = new ArrayList<>(count);
        for (int n = 0; n < count; n++) {
            nodes.add(new BackendNode(new NodeId("node-" + n), shape, true));
        }
        return nodes;
    }
}
