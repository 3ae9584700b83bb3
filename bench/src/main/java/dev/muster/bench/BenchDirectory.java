package dev.muster.bench;

import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.EmbeddedServers;
import dev.muster.embedded.PostgresConnection;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A data directory of processes under test. */
record BenchDirectory(Path path) {

    private static final String MAIN = "dev.muster.cli.Main";
    private static final int FIRST_PORT = 18_460;
    private static final int LAST_PORT = 30_000;

    /** Makes a fresh one with a {@code muster.yaml}. */
    static BenchDirectory create(String name, String settings) {
        try {
            Path made = Files.createTempDirectory(name);
            Files.writeString(made.resolve("muster.yaml"), settings);
            return new BenchDirectory(made);
        } catch (IOException e) {
            throw new BenchFailed("no data directory can be made: " + e.getMessage(), e);
        }
    }

    /** One below those that outgoing connections take while nobody listens. */
    static int freePort() {
        return freePortFrom(FIRST_PORT);
    }

    static int freePortFrom(int first) {
        for (int each = first; each < LAST_PORT; each++) {
            try (ServerSocket socket =
                    new ServerSocket(each, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException _) {
                // the next one
            }
        }
        throw new BenchFailed("no port is free");
    }

    /** Of the services' internal API or of the public one; a service has to be there first. */
    String token(String name) {
        try {
            return Files.readString(path.resolve(name)).strip();
        } catch (IOException e) {
            throw new BenchFailed(name + " cannot be read: " + e.getMessage(), e);
        }
    }

    PostgresConnection postgres() {
        return EmbeddedPostgres.read(path)
                .orElseThrow(() -> new BenchFailed("no PostgreSQL in " + path));
    }

    BenchDatabase database() {
        return new BenchDatabase(postgres());
    }

    /** {@code muster verify}: what it found. */
    JsonArray verify(List<String> jvmOptions, int settleSeconds, Path log) {
        List<String> arguments =
                List.of(
                        "verify",
                        "--json",
                        "--settle",
                        Integer.toString(settleSeconds),
                        "--data-dir",
                        path.toString());
        try (ChildProcess verify = ChildProcess.java(MAIN, jvmOptions, arguments, log)) {
            return new JsonObject(verify.line(line -> line.startsWith("{")))
                    .getJsonArray("findings");
        }
    }

    /** Deletes it once nobody uses it, and what lies outside of it since commands are nobody's. */
    void discard() {
        try {
            Path instances = path.resolve("instances");
            if (Files.isSymbolicLink(instances)) {
                Path outside = instances.toRealPath().getParent();
                if (outside != null && Files.exists(outside.resolve("data-directory"))) {
                    EmbeddedServers.discard(outside);
                }
            }
        } catch (IOException e) {
            Progress.say("the files of the instances stay: " + e.getMessage());
        }
        EmbeddedServers.discard(path);
    }
}
