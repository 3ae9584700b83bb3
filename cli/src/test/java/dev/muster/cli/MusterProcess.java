package dev.muster.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A {@code muster} command in a JVM of its own, to be killed as a machine would kill it. */
final class MusterProcess implements AutoCloseable {

    private final Process process;
    private final Path log;

    private MusterProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    static MusterProcess start(
            Path dataDirectory, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xshare:auto",
                        "--illegal-native-access=allow",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Dmuster.home=" + repository(),
                        "-cp",
                        System.getProperty(
                                "surefire.test.class.path", System.getProperty("java.class.path")),
                        Main.class.getName()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--data-dir", dataDirectory.toString()));
        if (servesHttp(arguments)) {
            command.addAll(List.of("-c", "gateway.port=0"));
        }
        Path log = Files.createTempFile("muster-" + arguments[0], ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.to(log.toFile()))
                        .redirectInput(new File("/dev/null"));
        builder.environment().putAll(environment);
        return new MusterProcess(builder.start(), log);
    }

    /** Test servers take any free port unless the test names one. */
    private static boolean servesHttp(String... arguments) {
        List<String> all = List.of(arguments);
        return (all.contains("up") || all.contains("demo") || all.contains("gateway"))
                && all.stream().noneMatch(each -> each.startsWith("gateway.port="));
    }

    static Path repository() {
        Path folder = Path.of("").toAbsolutePath();
        return Files.exists(folder.resolve("samples"))
                ? folder
                : Objects.requireNonNull(folder.getParent());
    }

    boolean alive() {
        return process.isAlive();
    }

    /** As {@code kill -9}. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        awaitExit();
    }

    /** Files and sockets that it has open. */
    int openFiles() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
            return (int) open.count();
        }
    }

    /** From now on it may have so many, and no more. */
    void limitFiles(int most) throws IOException {
        List<String> command =
                List.of("prlimit", "--pid", Long.toString(process.pid()), "--nofile=" + most + ":");
        int status = new ProcessBuilder(command).inheritIO().start().onExit().join().exitValue();
        if (status != 0) {
            throw new IOException(command + " ended with " + status);
        }
    }

    int awaitExit() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the process does not end: " + output());
        }
        return process.exitValue();
    }

    String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return "no output: " + e.getMessage();
        }
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        Files.deleteIfExists(log);
    }
}
