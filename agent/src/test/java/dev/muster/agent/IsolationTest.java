package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What a namespace shows to those in it, and what its making leaves behind. */
class IsolationTest {

    @TempDir Path base;

    static Stream<Isolation> namespaces() {
        return Stream.of(Scene.BEST, Isolation.byProgram().orElseThrow());
    }

    @ParameterizedTest
    @MethodSource("namespaces")
    void showsACommandNoProcessButItsOwn(Isolation isolation) throws IOException {
        try (Scene scene =
                Scene.running(base, "echo up; echo $$ of $(echo /proc/[0-9]*); sleep 1000")) {
            scene.isolation = isolation;
            InstanceAgent agent = scene.create();
            agent.start(1);
            // supervisor, listener, command, and the shell that looks
            scene.awaitLog("3 of /proc/1 /proc/2 /proc/3 /proc/4");
            assertThat(agent.observe().supervisorPid().orElseThrow()).isGreaterThan(1);
        }
    }

    @Test
    void leavesThisProcessWhereItWas() throws IOException {
        List<String> before = whereThreadsAre();
        for (int n = 0; n < 20; n++) {
            Isolation isolation = Scene.BEST;
            Path output = Files.createFile(base.resolve("out" + n));
            long child =
                    isolation.start(
                            List.of("sh", "-c", "sleep 0.02; echo $$ /proc/[0-9]*"),
                            Path.of("/"),
                            output,
                            List.of("PATH=" + SupervisorControl.PATH));
            Supervisors.add(child);
            await().atMost(Scene.PATIENCE).until(() -> Supervisors.hasEnded(child));
            assertThat(output).hasContent("1 /proc/1\n");
        }
        assertThat(whereThreadsAre()).isEqualTo(before);
    }

    /** The mount and PID namespaces of all threads, and how many mounts there are. */
    private static List<String> whereThreadsAre() throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            List<Path> all = threads.toList();
            List<String> places =
                    Stream.of("mnt", "pid", "pid_for_children")
                            .flatMap(name -> all.stream().map(each -> link(each, name)))
                            .filter(place -> !place.isEmpty()) // of a thread that has ended
                            .distinct()
                            .toList();
            int mounts = Files.readAllLines(Path.of("/proc/self/mounts")).size();
            return Stream.concat(places.stream(), IntStream.of(mounts).mapToObj(Integer::toString))
                    .toList();
        }
    }

    private static String link(Path thread, String name) {
        try {
            return Files.readSymbolicLink(thread.resolve("ns/" + name)).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
