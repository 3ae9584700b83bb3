package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What is heard of real commands. */
class SignalWatchTest {

    @TempDir Path base;

    private static Stream<Signals> told(Scene scene) {
        return scene.events.stream()
                .filter(InstanceEvent.Signalled.class::isInstance)
                .map(event -> ((InstanceEvent.Signalled) event).signals());
    }

    private static Signals awaitTold(Scene scene, Predicate<Signals> which) {
        await().atMost(Scene.PATIENCE).until(() -> told(scene).anyMatch(which));
        return told(scene).filter(which).findFirst().orElseThrow();
    }

    @Test
    void tellsASilenceThatGrewTooLongAndItsEnd() throws IOException {
        try (Scene scene =
                Scene.running(
                        base,
                        "echo on; until [ -e $MA_JOB_DIR/go ]; do sleep 0.05; done; echo again;"
                                + " sleep 1000")) {
            scene.watch = new Watch(2, 0, List.of());
            InstanceAgent agent = scene.create();
            agent.start(1);

            Signals silent = awaitTold(scene, s -> s.silentMillis() >= 2000);

            assertThat(silent.silentMillis()).isLessThan(3000);
            assertThat(silent.running()).isTrue();
            assertThat(silent.logBytes()).isEqualTo(3);
            assertThat(told(scene)).hasSize(1);
            Files.createFile(scene.directories().local(scene.plan().localCodeDir()).resolve("go"));
            Signals broken = awaitTold(scene, s -> s.logBytes() == 9);
            assertThat(broken.silentMillis()).isLessThan(2000);
        }
    }

    @Test
    void saysNothingOfASilenceWhileTheCommandStartsUp() throws IOException {
        try (Scene scene = Scene.running(base, "sleep 1000")) {
            scene.watch = new Watch(1, 3, List.of());
            scene.create().start(1);
            Signals silent = awaitTold(scene, s -> true);
            assertThat(silent.runMillis()).isBetween(3000L, 20_000L);
        }
    }

    @Test
    void tellsAFailureAtOnceAndTheEndBeforeTheExit() throws IOException {
        try (Scene scene =
                Scene.running(
                        base,
                        "echo '[muster] step=7 loss=0.5 checkpoint=c-7'; echo 'NCCL WARN: link"
                                + " down'; until [ -e $MA_JOB_DIR/go ]; do sleep 0.05; done; printf"
                                + " 'step=8 loss=0.25'; exit 4")) {
            scene.watch = new Watch(0, 0, List.of("(", "NCCL WARN: .* down", "(?i)xid [0-9]+"));
            scene.create().start(1);
            Signals failed = awaitTold(scene, s -> !s.failure().isEmpty());
            assertThat(failed.failure()).isEqualTo("NCCL WARN: link down");
            assertThat(failed.step()).isEqualTo(7);
            assertThat(failed.checkpoint()).isEqualTo("c-7");
            Files.createFile(scene.directories().local(scene.plan().localCodeDir()).resolve("go"));
            scene.awaitExited(1, 4);
            Signals last = awaitTold(scene, s -> !s.running());
            assertThat(last.step()).isEqualTo(8);
            assertThat(last.loss()).isEqualTo(0.25);
            assertThat(last.failure()).isEqualTo("NCCL WARN: link down");
            assertThat(scene.events)
                    .containsSubsequence(
                            new InstanceEvent.Signalled(scene.plan().id(), last),
                            new InstanceEvent.Exited(scene.plan().id(), 1, 4));
        }
    }

    @Test
    void hearsEachProcessStartByItself() throws IOException {
        try (Scene scene =
                Scene.running(
                        base,
                        "if [ $MA_PROC_START_CNT = 1 ]; then echo fault step=5; exit 1; fi; sleep"
                                + " 1000")) {
            scene.watch = new Watch(0, 0, List.of("^fault"));
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitExited(1, 1);
            agent.start(2);
            scene.awaitStarted(2);
            await().atMost(Scene.PATIENCE).until(() -> agent.signals().processStart() == 2);
            assertThat(agent.signals().failure()).isEmpty();
            assertThat(agent.signals().step()).isEqualTo(-1);
            agent.close();

            InstanceAgent next = scene.adopt();
            await().atMost(Scene.PATIENCE).until(() -> next.signals().processStart() == 2);
            assertThat(next.signals().failure()).isEmpty();
            assertThat(next.signals().runMillis()).isPositive();
        }
    }

    @Test
    void readsTheNewestOfALogThatGrowsTooFast() throws IOException {
        try (Scene scene =
                Scene.running(
                        base,
                        "head -c 5000000 /dev/zero | tr '\\0' 'x'; echo; yes 'step=1 and more' |"
                                + " head -n 100000; echo step=2")) {
            scene.create().start(1);
            scene.awaitExited(1, 0);
            Signals last = awaitTold(scene, s -> !s.running());
            assertThat(last.step()).isEqualTo(2);
            assertThat(last.logBytes())
                    .isEqualTo(Files.size(scene.directories().log(scene.plan().id())));
        }
    }

    @Test
    void hearsTheTrainingHoweverLargeThePatternsAre() throws IOException {
        try (Scene scene =
                Scene.running(
                        base,
                        "head -c 240000 /dev/zero | tr '\\0' 'a' | fold -w 1000; echo; echo step=2;"
                                + " until [ -e $MA_JOB_DIR/go ]; do sleep 0.05; done; echo FATAL;"
                                + " exit 4")) {
            // of 13,000 steps for a character: a look at all that is there would take minutes
            scene.watch = new Watch(0, 0, List.of("(?:a?){999}b|(?:(?:a|b)?c?){900}d|FATAL"));
            InstanceAgent agent = scene.create();
            agent.start(1);
            await().atMost(Scene.PATIENCE).until(() -> agent.signals().step() == 2);
            assertThat(agent.signals().failure()).isEmpty();
            Files.createFile(scene.directories().local(scene.plan().localCodeDir()).resolve("go"));
            scene.awaitExited(1, 4);
            assertThat(agent.signals().failure()).isEqualTo("FATAL");
        }
    }

    @Test
    void countsTheBytesThatTheProcessesOfAnInstanceMove() throws IOException {
        for (Isolation each : List.of(Scene.BEST, Isolation.processTree())) {
            try (Scene scene =
                    Scene.running(
                            base.resolve(each.kind().name()),
                            "exec python3 -c \"import time; open('/dev/null','wb').write(b'x' *"
                                    + " 3000000); print('done', flush=True); time.sleep(1000)\"")) {
                scene.isolation = each;
                scene.create().start(1);
                scene.awaitLog("done");
                assertThat(ProcessIo.look().bytes(scene.root)).isGreaterThan(3_000_000);
            }
        }
    }
}
