package dev.muster.scheduler;

import dev.muster.platform.config.Setting;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.ServiceRunner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A scheduler as a process of its own, so that a test can really kill it. */
final class SchedulerProcess implements AutoCloseable {

    private final Process process;

    private SchedulerProcess(Process process) {
        this.process = process;
    }

    /**
     * @param crashAt {@code name:n} of a failpoint, or empty
     */
    static SchedulerProcess start(Settings settings, List<Setting<?>> keys, String crashAt) {
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SchedulerProcess.class.getName());
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.redirectInput(ProcessBuilder.Redirect.PIPE);
        Map<String, String> environment = builder.environment();
        for (Setting<?> each : keys) {
            environment.put(each.environmentName(), text(settings.get(each)));
        }
        if (!crashAt.isEmpty()) {
            environment.put("MUSTER_CRASH_AT", crashAt);
        }
        try {
            return new SchedulerProcess(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Object value) {
        return value instanceof List<?> list
                ? String.join(",", list.stream().map(String::valueOf).toList())
                : value.toString();
    }

    /**
     * @return its exit status
     * @throws IllegalStateException if it still runs
     */
    int awaitExit(long seconds) throws InterruptedException {
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the scheduler still runs after " + seconds + " s");
        }
        return process.exitValue();
    }

    boolean runs() {
        return process.isAlive();
    }

    /** As {@code kill -9}. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** Lets it stop in order. */
    void leave() throws IOException, InterruptedException {
        process.getOutputStream().close();
        awaitExit(60);
    }

    void signal(String name) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("kill", "-" + name));
        command.add(Long.toString(process.pid()));
        if (new ProcessBuilder(command).start().waitFor() != 0) {
            throw new IllegalStateException("no signal " + name + " could be sent");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Runs until its standard input ends. */
    public static void main(String[] arguments) throws IOException {
        Settings settings = Settings.load(Path.of("none.yaml"), System.getenv(), Map.of());
        try (ServiceRunner runner = ServiceRunner.prepare(settings)) {
            runner.start(new SchedulerService());
            while (System.in.read() >= 0) {
                // until whoever started this is gone
            }
        }
    }
}
