package dev.muster.executor;

import dev.muster.platform.config.Setting;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.ServiceRunner;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An executor as a process of its own, so that a test can really kill it. */
final class ExecutorProcess implements AutoCloseable {

    private final Process process;

    private ExecutorProcess(Process process) {
        this.process = process;
    }

    /**
     * @param crashAt {@code name:n} of a failpoint, or empty
     */
    static ExecutorProcess start(Settings settings, String crashAt) throws IOException {
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ExecutorProcess.class.getName());
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.redirectInput(ProcessBuilder.Redirect.PIPE);
        Map<String, String> environment = builder.environment();
        for (Setting<?> each : TestSettings.KEYS) {
            environment.put(each.environmentName(), text(settings.get(each)));
        }
        if (!crashAt.isEmpty()) {
            environment.put("MUSTER_CRASH_AT", crashAt);
        }
        return new ExecutorProcess(builder.start());
    }

    private static String text(Object value) {
        return value instanceof List<?> list
                ? String.join(",", list.stream().map(String::valueOf).toList())
                : value.toString();
    }

    /** Whether it was killed at its failpoint within this time. */
    boolean awaitKilled(long seconds) throws InterruptedException {
        return process.waitFor(seconds, TimeUnit.SECONDS) && process.exitValue() == 137;
    }

    /** As {@code kill -9}. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Runs until its standard input ends. */
    public static void main(String[] arguments) throws IOException {
        Settings settings = Settings.load(Path.of("none.yaml"), System.getenv(), Map.of());
        try (ServiceRunner runner = ServiceRunner.prepare(settings)) {
            runner.start(new ExecutorRole());
            while (System.in.read() >= 0) {
                // until whoever started this is gone
            }
        }
    }
}
