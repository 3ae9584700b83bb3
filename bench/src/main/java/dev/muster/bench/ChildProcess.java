package dev.muster.bench;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A JVM of its own with this one's class path; its standard error goes to a file or to ours. */
final class ChildProcess implements AutoCloseable {

    private static final long STOP_SECONDS = 30;

    private final Process process;
    private final BufferedReader lines;

    private ChildProcess(Process process) {
        this.process = process;
        this.lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * @param log where standard error goes; none: to our own
     */
    static ChildProcess java(
            String mainClass, List<String> jvmOptions, List<String> arguments, Path... log) {
        ProcessBuilder builder = builder(mainClass, jvmOptions, arguments);
        builder.redirectError(
                log.length == 0
                        ? ProcessBuilder.Redirect.INHERIT
                        : ProcessBuilder.Redirect.appendTo(log[0].toFile()));
        try {
            return new ChildProcess(builder.start());
        } catch (IOException e) {
            throw new BenchFailed("a process cannot be started: " + e.getMessage(), e);
        }
    }

    /** Not started yet; without input. */
    static ProcessBuilder builder(
            String mainClass, List<String> jvmOptions, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xlog:disable");
        command.add("-Xlog:all=error:stderr");
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.add("--illegal-native-access=allow");
        command.add("-Dmuster.home=" + System.getProperty("muster.home", "."));
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectInput(new File("/dev/null"));
    }

    long pid() {
        return process.pid();
    }

    /** The first line of standard output that fits; fails if the process ends without it. */
    String line(Predicate<String> fits) {
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (fits.test(line)) {
                    return line;
                }
            }
        } catch (IOException e) {
            throw new BenchFailed("a process cannot be read: " + e.getMessage(), e);
        }
        throw new BenchFailed("a process ended early: " + process.info().commandLine().orElse("?"));
    }

    /** As {@code kill -9}; returns once it is gone. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
