package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The script by itself, under each shell that this machine has, driven as an agent does. */
class SupervisorScriptTest {

    private static final List<String> NAMESPACE =
            List.of("unshare", "--pid", "--fork", "--kill-child=KILL", "--mount-proc");

    @TempDir Path base;
    private Path control = Path.of("");
    private final List<Process> supervisors = new ArrayList<>();

    static Stream<Path> shells() {
        return Stream.of("/bin/dash", "/bin/busybox", "/bin/bash")
                .map(Path::of)
                .filter(Files::exists);
    }

    @AfterEach
    void endSupervisors() throws InterruptedException, IOException {
        for (Process supervisor : supervisors) {
            supervisor.destroyForcibly().waitFor();
        }
        Files.deleteIfExists(base.resolve("bin/sh"));
    }

    private Process supervise(Path shell, Path directory, List<String> enter) throws IOException {
        control = Files.createDirectories(directory);
        Path bin = Files.createDirectories(base.resolve("bin"));
        if (!Files.exists(bin.resolve("sh"))) {
            Files.createSymbolicLink(bin.resolve("sh"), shell);
        }
        try (InputStream script = getClass().getResourceAsStream(SupervisorControl.SCRIPT)) {
            Files.write(control.resolve(SupervisorControl.SCRIPT), script.readAllBytes());
        }
        if (!Files.exists(control.resolve(SupervisorControl.DESIRED))) {
            ControlFiles.write(control, SupervisorControl.DESIRED, "idle 0\n");
        }
        List<String> command = new ArrayList<>(List.of("setsid"));
        command.addAll(enter);
        command.add("sh");
        command.add(control.resolve(SupervisorControl.SCRIPT).toString());
        command.add(control.toString());
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(Path.of("/proc").toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(base.resolve("err").toFile());
        builder.environment().put("PATH", bin + ":/usr/bin:/bin:/usr/sbin:/sbin");
        // the program is looked for on this process's path
        builder.command().set(0, "/usr/bin/setsid");
        Process process = builder.start();
        supervisors.add(process);
        return process;
    }

    private void launchable(int number, String command) throws IOException {
        ControlFiles.write(
                control,
                "launch-" + number,
                "work=" + base + " log=" + base + "/log\nset -- sh -c '" + command + "'\n");
    }

    private void desire(String order) throws IOException {
        ControlFiles.write(control, SupervisorControl.DESIRED, order + "\n");
        ring();
    }

    private void ring() throws IOException {
        Path bell = control.resolve("bell");
        await().atMost(Scene.PATIENCE).until(() -> Files.exists(bell));
        try (RandomAccessFile fifo = new RandomAccessFile(bell.toFile(), "rw")) {
            fifo.writeBytes("\nring\n");
        }
    }

    private void awaitState(String line) {
        await().atMost(Scene.PATIENCE)
                .pollInterval(Duration.ofMillis(2))
                .untilAsserted(() -> assertThat(lines()).contains(line));
    }

    private List<String> lines() throws IOException {
        Path state = control.resolve("state");
        return Files.exists(state) ? Files.readAllLines(state) : List.of();
    }

    /** Without pids and times. */
    private List<String> state() throws IOException {
        return lines().stream()
                .map(line -> line.startsWith("started") ? line.substring(0, 9) : line)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("shells")
    void startsEachNumberOnceAndHearsOnlyTheCurrentOne(Path shell)
            throws IOException, InterruptedException {
        Process supervisor = supervise(shell, base.resolve("c"), NAMESPACE);
        launchable(1, "echo one; exit 3");
        launchable(2, "echo two; exec sleep 1000");
        desire("start 1");
        awaitState("cleared 1");
        desire("start 1");
        ring();
        desire("stop 1");
        desire("start 2");
        await().until(() -> state().contains("started 2"));
        desire("stop 1");
        desire("kill 1");
        desire("start 1");
        desire("stop 2");
        awaitState("exited 2 143");
        desire("quit");
        assertThat(supervisor.waitFor()).isEqualTo(143);
        assertThat(state())
                .containsExactly(
                        "claimed 1",
                        "started 1",
                        "exited 1 3",
                        "cleared 1",
                        "claimed 2",
                        "started 2",
                        "exited 2 143",
                        "cleared 2",
                        "left");
        assertThat(base.resolve("log")).hasContent("one\ntwo\n");
    }

    @ParameterizedTest
    @MethodSource("shells")
    void writesTheEndOfWhatItKilledItself(Path shell) throws IOException {
        supervise(shell, base.resolve("c"), NAMESPACE);
        launchable(1, "trap \"\" TERM; (setsid sleep 1000 &); sleep 1000");
        desire("start 1");
        await().until(() -> state().contains("started 1"));
        desire("stop 1");
        desire("kill 1");
        awaitState("cleared 1");
        assertThat(state()).containsExactly("claimed 1", "started 1", "exited 1 137", "cleared 1");
        launchable(2, "kill -9 -1; exit 0"); // the listener goes with it
        desire("start 2");
        awaitState("cleared 2");
        launchable(3, "exit 0");
        desire("start 3");
        awaitState("cleared 3");
    }

    @ParameterizedTest
    @MethodSource("shells")
    void runsWithoutANamespaceAsWell(Path shell) throws IOException, InterruptedException {
        Process supervisor = supervise(shell, base.resolve("c"), List.of());
        launchable(1, "exit 5");
        desire("start 1");
        awaitState("exited 1 5");
        desire("stop 2");
        awaitState("exited 2 143");
        desire("quit");
        assertThat(supervisor.waitFor()).isEqualTo(143);
        assertThat(state().getLast()).isEqualTo("left");
    }

    @Test
    void isNeverThereTwice() throws IOException, InterruptedException {
        Process first = supervise(Path.of("/bin/sh"), base.resolve("c"), NAMESPACE);
        await().until(() -> Files.exists(control.resolve("bell")));
        String claim = Files.readString(control.resolve("supervisor"));
        Process second = supervise(Path.of("/bin/sh"), base.resolve("c"), NAMESPACE);
        assertThat(second.waitFor()).isZero();
        assertThat(control.resolve("supervisor")).hasContent(claim);
        assertThat(first.isAlive()).isTrue();
    }

    @Test
    void spendsANumberThatWasClaimedWhenItsInstanceDied() throws IOException, InterruptedException {
        Process supervisor = supervise(Path.of("/bin/sh"), base.resolve("c"), NAMESPACE);
        // a child that does not come as far as its own line
        ControlFiles.write(control, "launch-1", "read -r never <>go\n");
        desire("start 1");
        awaitState("claimed 1");
        supervisor.destroyForcibly().waitFor();
        StateFile state = StateFile.read(control);
        assertThat(state.current()).isEqualTo(1);
        assertThat(state.starts())
                .singleElement()
                .satisfies(start -> {
                    assertThat(start.starts).isZero();
                    assertThat(start.ended()).isFalse();
                });
    }

    @Test
    void saysNothingOfAProcessThatItCannotSee() throws IOException {
        assumeTrue(isRoot());
        List<String> withoutProc =
                List.of(
                        "unshare",
                        "--mount",
                        "--pid",
                        "--fork",
                        "--kill-child=KILL",
                        "sh",
                        "-c",
                        "mount -t tmpfs none /proc && exec \"$@\"",
                        "sh");
        supervise(Path.of("/bin/sh"), base.resolve("c"), withoutProc);
        launchable(1, "exit 0");
        desire("start 1");
        awaitState("exited 1 0");
        assertThat(Files.readAllLines(control.resolve("state"))).contains("started 1 - - -");
        assertThat(StateFile.read(control).starts())
                .allSatisfy(start -> assertThat(start.starts).isEqualTo(1));
    }

    @ParameterizedTest
    @MethodSource("shells")
    void waitsForSpaceOnAFullDisk(Path shell) throws IOException, InterruptedException {
        assumeTrue(isRoot());
        Path small = Files.createDirectories(base.resolve("small"));
        run("mount", "-t", "tmpfs", "-o", "size=64k", "none", small.toString());
        try {
            Process supervisor = supervise(shell, small.resolve("c"), NAMESPACE);
            launchable(1, "exit 9");
            await().until(() -> Files.exists(control.resolve("state")));
            ControlFiles.write(control, SupervisorControl.DESIRED, "start 1\n");
            // of the next line, a piece still fits
            Path state = control.resolve("state");
            String before = "x".repeat(4090) + "\n";
            Files.writeString(state, before);
            fill(small.resolve("filler"));
            ring();
            await().until(() -> Files.size(state) > before.length());
            assertThat(Files.readString(state).substring(before.length())).isEqualTo("claim");
            Files.delete(small.resolve("filler"));
            awaitState("exited 1 9");
            awaitState("cleared 1");
            assertThat(StateFile.read(control).starts())
                    .singleElement()
                    .satisfies(start -> assertThat(start.starts).isEqualTo(1));
            desire("quit");
            supervisor.waitFor();
        } finally {
            run("umount", "-l", small.toString());
        }
    }

    private static void fill(Path file) {
        try {
            Files.write(file, new byte[64 * 1024]);
        } catch (IOException e) {
            return; // as it should be: nothing is left
        }
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private static void run(String... command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }
}
