package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Commands that try to escape their end, under both kinds of isolation. */
class TerminationTest {

    /**
     * Writes the start time of a process into the file "escaped", which names it on the machine.
     */
    private static final String TELL =
            "cut -d' ' -f22 /proc/self/stat > escaped.new; mv escaped.new escaped;";

    @TempDir Path base;

    static Stream<Isolation> kinds() {
        return Stream.of(
                Scene.BEST,
                Isolation.byProgram().orElseThrow(),
                Isolation.by(Isolation.AS_USER),
                Isolation.processTree());
    }

    static Stream<Arguments> escapes() {
        String sleeper = "sh -c \"" + TELL + " exec sleep 1000\"";
        return kinds().flatMap(kind ->
                Stream.of(
                        Arguments.of(kind, "forks twice", "(" + sleeper + " &) ; sleep 1000"),
                        Arguments.of(
                                kind,
                                "leaves its session",
                                "setsid -f " + sleeper + "; sleep 1000"),
                        Arguments.of(kind, "clears its environment", "env -i " + sleeper),
                        Arguments.of(
                                kind,
                                "leaves its session with a cleared environment",
                                "(setsid env -i " + sleeper + " &) ; sleep 1000"),
                        Arguments.of(kind, "ignores SIGTERM", "trap '' TERM; " + sleeper)));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("escapes")
    void reachesACommandThat(Isolation kind, String what, String command) throws IOException {
        try (Scene scene = Scene.running(base, command)) {
            scene.isolation = kind;
            InstanceAgent agent = scene.create();
            agent.start(1);
            long startTicks = awaitEscaped(scene);
            assertThat(lives(startTicks)).isTrue();
            agent.stop(1);
            await().atMost(Scene.PATIENCE)
                    .until(() ->
                            scene.events.stream().anyMatch(InstanceEvent.Exited.class::isInstance));
            assertThat(lives(startTicks)).isFalse();
            assertThat(agent.observe().processStart(1).orElseThrow().exitCode().getAsInt())
                    .isIn(137, 143);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void endsWhatTheCommandLeftBehindWhenItEnded(Isolation kind) throws IOException {
        try (Scene scene =
                Scene.running(
                        base,
                        "(sh -c \""
                                + TELL
                                + " exec sleep 1000\" &); while test ! -e escaped; do sleep 0.01;"
                                + " done; exit 4")) {
            scene.isolation = kind;
            scene.create().start(1);
            scene.awaitExited(1, 4);
            assertThat(lives(awaitEscaped(scene))).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void letsACommandEndByItselfWithinItsGrace(Isolation kind) throws IOException {
        try (Scene scene =
                Scene.running(
                        base,
                        "trap 'echo saved; exit 6' TERM; echo up; while :; do sleep 0.02; done")) {
            scene.isolation = kind;
            scene.stopGraceMillis = 20_000;
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitLog("up");
            agent.stop(1);
            scene.awaitExited(1, 6);
            assertThat(scene.log()).endsWith("saved\n");
            agent.start(2);
            scene.awaitStarted(2);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void killsEverythingAtOnce(Isolation kind) throws IOException {
        try (Scene scene = Scene.running(base, "sleep 1000 & sleep 1000 & setsid sleep 1000")) {
            scene.isolation = kind;
            InstanceAgent agent = scene.create();
            agent.start(1);
            await().atMost(Scene.PATIENCE)
                    .until(() -> Adoption.livingProcesses(scene.root).size() >= 5);
            agent.kill();
            scene.awaitGone();
            assertThat(Adoption.livingProcesses(scene.root)).isEmpty();
        }
    }

    private long awaitEscaped(Scene scene) throws IOException {
        Path file = scene.directories().local(scene.plan().localCodeDir()).resolve("escaped");
        await().atMost(Scene.PATIENCE).until(() -> Files.exists(file));
        return Long.parseLong(Files.readString(file).strip());
    }

    /** "cut" runs as a child; the process that matters was started within the same second. */
    private static boolean lives(long startTicks) throws IOException {
        List<ProcessTable.Entry> living = ProcessTable.living();
        return living.stream()
                .filter(entry -> Math.abs(entry.startTicks() - startTicks) < 100)
                .anyMatch(entry ->
                        ProcessTable.commandLine(entry.pid())
                                .filter("sleep\0001000\0"::equals)
                                .isPresent());
    }
}
