package dev.muster.testkit;

import dev.muster.embedded.EmbeddedServers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Where this JVM's shared servers live. It is deleted with the JVM; what a killed one left, its
 * server included, is removed by the next.
 */
final class TestDirectory {
    private static final String PREFIX = "muster-test-";

    private TestDirectory() {}

    static Path create(String server) {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        try {
            sweep(temporary);
            return Files.createTempDirectory(
                    temporary, PREFIX + ProcessHandle.current().pid() + "-" + server + "-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs before the directory is deleted at the end of the JVM. */
    static void deleteAtExit(Path directory, Runnable stop) {
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .unstarted(() -> {
                                    stop.run();
                                    boolean _ = EmbeddedServers.discard(directory);
                                }));
    }

    private static void sweep(Path temporary) throws IOException {
        try (Stream<Path> entries = Files.list(temporary)) {
            for (Path entry : entries.filter(TestDirectory::isAbandoned).toList()) {
                boolean _ = EmbeddedServers.discard(entry);
            }
        }
    }

    private static boolean isAbandoned(Path directory) {
        String name = directory.getFileName().toString();
        if (!name.startsWith(PREFIX)) {
            return false;
        }
        String[] parts = name.substring(PREFIX.length()).split("-", -1);
        try {
            return ProcessHandle.of(Long.parseLong(parts[0])).isEmpty();
        } catch (NumberFormatException _) {
            return false;
        }
    }
}
