package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.storage.FileObjectStore;
import dev.muster.storage.ObjectLocation;
import dev.muster.storage.ObjectStore;
import dev.muster.storage.ObjectStores;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** One instance on this machine, with a store on the file system: what a test varies, it sets. */
final class Scene implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Of machines that allow it; tests name the other kind themselves. */
    static final Isolation BEST = Isolation.probe();

    final Path base;
    final Path root;
    final ObjectStore store;
    final List<InstanceEvent> events = new CopyOnWriteArrayList<>();
    final List<InputPlan> inputs = new ArrayList<>();
    final List<OutputPlan> outputs = new ArrayList<>();
    final List<Parameter> parameters = new ArrayList<>();
    Isolation isolation = BEST;
    Program program = new Program.ShellCommand("true");
    Map<String, String> environment = Map.of();
    Optional<ObjectLocation> code = Optional.empty();
    Optional<ObjectLocation> logTarget = Optional.empty();
    Optional<String> workingDir = Optional.empty();
    Optional<String> user = Optional.empty();
    Watch watch = Watch.OFF;
    DataLimits limits = DataLimits.DEFAULTS;
    long stopGraceMillis = 300;
    long answerMillis = 20_000;
    long syncBudgetMillis = 20_000;
    private final List<InstanceAgent> agents = new ArrayList<>();

    Scene(Path base) throws IOException {
        this.base = base;
        this.root = base.resolve("instance");
        this.store = new FileObjectStore(base.resolve("objects"));
    }

    static Scene running(Path base, String command) throws IOException {
        Scene scene = new Scene(base);
        scene.program = new Program.ShellCommand(command);
        return scene;
    }

    InstancePlan plan() {
        return new InstancePlan(
                new InstanceId("4b1d", 1, 1, 1),
                root,
                program,
                parameters,
                new InstanceEnvironment(
                        "job-a",
                        "worker",
                        List.of("127.0.0.2", "127.0.0.3"),
                        2,
                        InstanceEnvironment.Framework.PYTORCH,
                        29_500,
                        1,
                        "/usr/local/bin:/usr/bin:/bin",
                        environment),
                code,
                InstancePlan.DEFAULT_LOCAL_CODE_DIR,
                workingDir,
                inputs,
                outputs,
                logTarget,
                limits,
                100,
                stopGraceMillis,
                user,
                watch);
    }

    AgentSettings settings(Consumer<String> failpoint) {
        ObjectStores stores = ObjectStores.of(Map.of("obs", store));
        return new AgentSettings(
                stores,
                isolation,
                failpoint,
                AgentSettings.DEFAULT_EVIDENCE,
                answerMillis,
                syncBudgetMillis);
    }

    InstanceAgent create() throws IOException {
        return keep(InstanceAgent.create(plan(), settings(name -> {}), events::add));
    }

    InstanceAgent adopt() throws IOException {
        return keep(InstanceAgent.adopt(root, settings(name -> {}), events::add));
    }

    private InstanceAgent keep(InstanceAgent agent) {
        agents.add(agent);
        return agent;
    }

    Scene withObject(String location, String content) throws IOException {
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        store.write(ObjectLocation.parse(location), new ByteArrayInputStream(bytes), bytes.length);
        return this;
    }

    String object(String location) throws IOException {
        try (var in = store.read(ObjectLocation.parse(location), 0)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    boolean exists(String location) throws IOException {
        return store.exists(ObjectLocation.parse(location));
    }

    InstanceDirectories directories() {
        return new InstanceDirectories(root);
    }

    String log() throws IOException {
        Path log = directories().log(plan().id());
        return Files.exists(log) ? Files.readString(log) : "";
    }

    void awaitEvent(InstanceEvent event) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(events).contains(event));
    }

    void awaitStarted(int number) {
        awaitEvent(new InstanceEvent.Started(plan().id(), number));
    }

    void awaitExited(int number, int code) {
        awaitEvent(new InstanceEvent.Exited(plan().id(), number, code));
    }

    void awaitGone() {
        awaitEvent(new InstanceEvent.Gone(plan().id()));
    }

    void awaitLog(String text) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(log()).contains(text));
    }

    String awaitFailure() {
        await().atMost(PATIENCE)
                .until(() -> events.stream().anyMatch(InstanceEvent.Failed.class::isInstance));
        return events.stream()
                .filter(InstanceEvent.Failed.class::isInstance)
                .map(event -> ((InstanceEvent.Failed) event).failure().message())
                .findFirst()
                .orElseThrow();
    }

    /** Nothing of the instance may outlive a test, whatever the test did. */
    @Override
    public void close() throws IOException {
        agents.forEach(InstanceAgent::close);
        if (!Files.exists(directories().control())) {
            return;
        }
        events.clear();
        try (InstanceAgent last = adopt()) {
            last.kill();
            awaitGone(); // told after the last write
        }
        assertThat(Adoption.livingProcesses(root)).isEmpty();
    }
}
