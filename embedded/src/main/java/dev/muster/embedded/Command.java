package dev.muster.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a short program without a shell and gathers what it says. */
final class Command {
    private static final int MOST_OUTPUT_BYTES = 64 * 1024;

    private Command() {}

    record Outcome(int exitCode, String output) {
        boolean succeeded() {
            return exitCode == 0;
        }
    }

    /** An environment in which no variable of the caller's reaches the server. */
    static ProcessBuilder isolated(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        String path = System.getenv("PATH");
        builder.environment().clear();
        builder.environment().put("PATH", path == null ? "/usr/bin:/bin:/usr/sbin:/sbin" : path);
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("TZ", "UTC");
        return builder;
    }

    static Outcome run(List<String> command, String input, Duration limit) throws IOException {
        Process process = isolated(command).redirectErrorStream(true).start();
        Thread writer = Thread.ofVirtual().start(() -> feed(process, input));
        StringBuilder output = new StringBuilder();
        Thread reader = Thread.ofVirtual().start(() -> gather(process, output));
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new IOException(command.getFirst() + " did not end within " + limit);
            }
            writer.join();
            reader.join();
            return new Outcome(process.exitValue(), output.toString());
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + command.getFirst() + " ran", e);
        }
    }

    private static void feed(Process process, String input) {
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException _) {
            // The program ended without reading all; its exit code tells.
        }
    }

    private static void gather(Process process, StringBuilder output) {
        try (InputStream stdout = process.getInputStream()) {
            output.append(new String(stdout.readNBytes(MOST_OUTPUT_BYTES), StandardCharsets.UTF_8));
            stdout.transferTo(OutputStream.nullOutputStream());
        } catch (IOException _) {
            // As above.
        }
    }
}
