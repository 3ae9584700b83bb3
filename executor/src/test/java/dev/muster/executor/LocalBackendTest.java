package dev.muster.executor;

import dev.muster.agent.AgentSettings;
import dev.muster.agent.DataLimits;
import dev.muster.agent.Isolation;
import dev.muster.domain.JobSpec;
import dev.muster.storage.FileObjectStore;
import dev.muster.storage.ObjectStores;

import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;

class LocalBackendTest extends BackendContract {

    private static final Isolation ISOLATION = Isolation.probe();

    @TempDir private Path directory;

    @Override
    InstanceBackend backend() throws IOException {
        return new LocalBackend(List.of(), machine(directory));
    }

    static LocalMachine machine(Path directory) throws IOException {
        InstanceTree tree =
                new InstanceTree(
                        Files.createDirectories(directory.resolve("instances")).toRealPath());
        ObjectStores stores =
                ObjectStores.of(Map.of("obs", new FileObjectStore(directory.resolve("store"))));
        return new LocalMachine(
                tree,
                new MeetingPlaces(tree, new LoopbackNetwork(23_456, 31_999)),
                AgentSettings.of(stores, ISOLATION),
                new InstancePlans.Rules(
                        DataLimits.DEFAULTS, 30_000, 500, Optional.empty(), "/usr/bin:/bin"),
                new Semaphore(4));
    }

    @Override
    JobSpec ending(int exitCode) {
        return Facts.spec("exit " + exitCode, 1, Map.of());
    }

    @Override
    JobSpec hanging() {
        return Facts.watched("[ $MA_PROC_START_CNT = 2 ] || sleep 3600", 1, Map.of());
    }

    @Override
    JobSpec endless() {
        return Facts.spec("sleep 3600", 1, Map.of());
    }
}
