package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.storage.FileObjectStore;
import dev.muster.storage.ObjectLocation;
import dev.muster.storage.ObjectStores;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The process with the agent is killed at each durable step; the next one goes on from there. */
class CrashTest {

    static final List<String> FAILPOINTS =
            List.of(
                    "agent.planned",
                    "agent.fetched",
                    "agent.prepared",
                    "agent.launchable",
                    "agent.desired",
                    "agent.supervisor",
                    "agent.started",
                    "agent.exited",
                    "agent.carried",
                    "agent.synced",
                    "agent.gone");

    @TempDir Path base;

    static Stream<Arguments> crashes() {
        Stream<Arguments> inNamespaces =
                FAILPOINTS.stream().map(name -> Arguments.of(name, Scene.BEST));
        Stream<Arguments> inTrees =
                Stream.of("agent.supervisor", "agent.started", "agent.cleared", "agent.exited")
                        .map(name -> Arguments.of(name, Isolation.processTree()));
        return Stream.concat(inNamespaces, inTrees);
    }

    @ParameterizedTest
    @MethodSource("crashes")
    void startsOnceAndEndsWellAfterAKillAt(String failpoint, Isolation isolation)
            throws IOException, InterruptedException {
        try (Scene scene =
                Scene.running(base, "echo run; echo made > \"$out\"/result; sleep 0.2; exit 3")) {
            scene.isolation = isolation;
            scene.withObject("obs://b/code/a.txt", "a").withObject("obs://b/code/b.txt", "b");
            scene.code = Optional.of(ObjectLocation.parse("obs://b/code"));
            scene.outputs.add(
                    new OutputPlan("out", ObjectLocation.parse("obs://b/o"), Access.ENV, false));
            PlanFile.writeIfAbsent(scene.plan());
            assertThat(runChild(scene, failpoint)).as("exit of the killed process").isEqualTo(137);

            InstanceAgent agent = scene.adopt();
            agent.start(1);
            scene.awaitExited(1, 3);
            agent.finish();
            scene.awaitGone();
            assertThat(scene.log()).isEqualTo("run\n");
            assertThat(scene.object("obs://b/o/result")).isEqualTo("made\n");
            assertThat(agent.observe().processStarts())
                    .singleElement()
                    .satisfies(start -> assertThat(start.starts()).isEqualTo(1));
            assertThat(Adoption.livingProcesses(scene.root)).isEmpty();
        }
    }

    static Stream<Arguments> restartCrashes() {
        return Stream.of(Scene.BEST, Isolation.processTree())
                .flatMap(isolation ->
                        Stream.of(
                                        "agent.started",
                                        "agent.evidence",
                                        "agent.desired:3",
                                        "agent.exited",
                                        "agent.launchable:2",
                                        "agent.desired:4",
                                        "agent.kept",
                                        "agent.started:2")
                                .map(name -> Arguments.of(name, isolation)));
    }

    @ParameterizedTest
    @MethodSource("restartCrashes")
    void restartsAHungCommandOnceAfterAKillAt(String failpoint, Isolation isolation)
            throws IOException, InterruptedException {
        try (Scene scene =
                Scene.running(
                        base,
                        "echo run $MA_PROC_START_CNT; if [ $MA_PROC_START_CNT = 1 ]; then sleep"
                                + " 1000; fi; sleep 0.5; exit 3")) {
            scene.isolation = isolation;
            PlanFile.writeIfAbsent(scene.plan());
            assertThat(runChild(scene, failpoint)).as("exit of the killed process").isEqualTo(137);

            InstanceAgent agent = scene.adopt();
            agent.stopHung(1, 3);
            agent.start(2);
            scene.awaitExited(2, 3);
            agent.finish();
            scene.awaitGone();
            // it may have hung even before it said so
            assertThat(scene.log()).isIn("run 1\nrun 2\n", "run 2\n");
            assertThat(agent.observe().processStarts())
                    .allSatisfy(start -> assertThat(start.starts()).isEqualTo(1))
                    .hasSize(2);
            await().atMost(Scene.PATIENCE)
                    .until(() -> scene.exists("obs://muster/evidence/4b1d/1/3/1.txt"));
            assertThat(Adoption.livingProcesses(scene.root)).isEmpty();
        }
    }

    private int runChild(Scene scene, String failpoint) throws IOException, InterruptedException {
        Process child =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Victim.class.getName(),
                                scene.root.toString(),
                                base.resolve("objects").toString(),
                                failpoint,
                                scene.isolation.kind().name())
                        .redirectErrorStream(true)
                        .redirectOutput(base.resolve("child.log").toFile())
                        .start();
        if (!child.waitFor(60, TimeUnit.SECONDS)) {
            child.destroyForcibly();
            throw new AssertionError(
                    "did not come to "
                            + failpoint
                            + ":\n"
                            + Files.readString(base.resolve("child.log")));
        }
        return child.exitValue();
    }

    /** Drives an instance as far as the failpoint. */
    static final class Victim {

        private Victim() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            Path root = Path.of(arguments[0]);
            Isolation isolation =
                    IsolationKind.valueOf(arguments[3]) == IsolationKind.NAMESPACE
                            ? Isolation.probe()
                            : Isolation.processTree();
            AgentSettings settings =
                    new AgentSettings(
                            ObjectStores.of(
                                    Map.of("obs", new FileObjectStore(Path.of(arguments[1])))),
                            isolation,
                            killAt(arguments[2]),
                            AgentSettings.DEFAULT_EVIDENCE,
                            20_000,
                            20_000);
            InstancePlan plan = PlanFile.read(root);
            InstanceAgent agent = InstanceAgent.create(plan, settings, event -> {});
            agent.start(1);
            if (plan.program().toString().contains("sleep 1000")) {
                while (agent.observe().processStarts().stream().allMatch(s -> s.starts() == 0)) {
                    Thread.sleep(10);
                }
                agent.stopHung(1, 3);
                agent.start(2);
                Thread.sleep(50_000);
            }
            while (agent.observe().exitCode(1).isEmpty()) {
                Thread.sleep(10);
            }
            // the exit has to be told before the end is asked for, as an executor does
            while (agent.observe().processStarts().isEmpty()) {
                Thread.sleep(10);
            }
            Thread.sleep(arguments[2].equals("agent.exited") ? 5000 : 0);
            agent.finish();
            Thread.sleep(50_000);
        }

        /** At the n-th time that {@code name:n} is reached. */
        private static Consumer<String> killAt(String failpoint) {
            String[] parts = failpoint.split(":", -1);
            AtomicInteger left =
                    new AtomicInteger(parts.length > 1 ? Integer.parseInt(parts[1]) : 1);
            return name -> {
                if (name.equals(parts[0]) && left.decrementAndGet() == 0) {
                    kill();
                }
            };
        }

        private static void kill() {
            try {
                String self = String.valueOf(ProcessHandle.current().pid());
                new ProcessBuilder("kill", "-9", self).start().waitFor();
                Thread.sleep(60_000);
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
