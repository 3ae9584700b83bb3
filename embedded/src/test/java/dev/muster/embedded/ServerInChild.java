package dev.muster.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of its own that starts a server, says so, and waits to be killed. */
final class ServerInChild implements AutoCloseable {
    private static final String READY = "ready";

    private final Process process;

    private ServerInChild(Process process) {
        this.process = process;
    }

    static ServerInChild start(String server, Path dataDirectory) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.add(ServerInChild.class.getName());
        command.add(server);
        command.add(dataDirectory.toString());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader output =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder said = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.equals(READY)) {
                return new ServerInChild(process);
            }
            said.append(line).append('\n');
        }
        throw new IOException("the child ended: " + said);
    }

    /** As {@code kill -9} does; returns when it is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the child survived SIGKILL");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** The child's own code; ends when the parent does. */
    public static void main(String[] arguments) throws IOException {
        Path dataDirectory = Path.of(arguments[1]);
        switch (arguments[0]) {
            case EmbeddedPostgres.SERVER -> {
                var _ = EmbeddedPostgres.start(dataDirectory, PostgresSettings.defaults());
            }
            case EmbeddedKafka.SERVER -> {
                var _ = EmbeddedKafka.start(dataDirectory, KafkaSettings.defaults());
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println(READY);
        int _ = System.in.read();
        Runtime.getRuntime().halt(1);
    }
}
