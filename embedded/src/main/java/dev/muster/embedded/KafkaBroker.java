package dev.muster.embedded;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;

/** One run of a broker in this JVM: its log formatted on first start, started, shut down. */
final class KafkaBroker {
    private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(30);

    private static final Duration GOODBYE_LIMIT = Duration.ofSeconds(2);

    /** Less than this is a full disk: a start alone writes that much. */
    private static final long LEAST_FREE_BYTES = 4L * 1024 * 1024;

    private final KafkaRaftServer server;
    private final KafkaExits exits;
    private @Nullable Thread ending;

    private KafkaBroker(KafkaRaftServer server, KafkaExits exits) {
        this.server = server;
        this.exits = exits;
    }

    /**
     * Completes with the reason when the broker cannot go on; it still has to be shut down then.
     */
    CompletableFuture<String> lost() {
        return exits.lost();
    }

    /** Returns when the broker takes requests. */
    static KafkaBroker start(KafkaBrokerProperties identity, Properties properties) {
        KafkaExits exits = KafkaExits.watch();
        KafkaBroker broker = null;
        try {
            requireSpace(identity);
            format(identity);
            broker =
                    new KafkaBroker(
                            new KafkaRaftServer(
                                    KafkaConfig.fromProps(properties, false), Time.SYSTEM),
                            exits);
            broker.server.startup();
            return broker;
        } catch (EmbeddedServerException e) {
            exits.forget();
            throw e;
        } catch (Exception | Error e) {
            if (broker != null) {
                broker.shutDown();
            }
            exits.forget();
            throw failure(identity, e);
        }
    }

    private static void requireSpace(KafkaBrokerProperties identity) throws IOException {
        if (isFull(identity)) {
            throw new EmbeddedServerException(Sentences.noSpace(identity.log()));
        }
    }

    private static boolean isFull(KafkaBrokerProperties identity) throws IOException {
        Path above = identity.log().resolveSibling("").normalize();
        return Files.getFileStore(above).getUsableSpace() < LEAST_FREE_BYTES;
    }

    private static void format(KafkaBrokerProperties identity) throws Exception {
        Path log = identity.log();
        if (Files.exists(log.resolve("meta.properties"))) {
            return;
        }
        // What an interrupted formatting left has no records.
        ServerDirectory.deleteAll(log);
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        new Formatter()
                .setPrintStream(new PrintStream(output, true, StandardCharsets.UTF_8))
                .setClusterId(Uuid.randomUuid().toString())
                .setNodeId(KafkaBrokerProperties.NODE_ID)
                .setDirectories(List.of(log.toString()))
                .setMetadataLogDirectory(log.toString())
                .setControllerListenerName(KafkaBrokerProperties.CONTROLLER)
                .setScramArguments(
                        List.of(
                                KafkaConnection.MECHANISM
                                        + "=[name="
                                        + KafkaBrokerProperties.USER
                                        + ",password="
                                        + identity.password()
                                        + "]"))
                .run();
    }

    private static EmbeddedServerException failure(
            KafkaBrokerProperties identity, Throwable cause) {
        try {
            if (isFull(identity)) {
                return Sentences.noSpace(identity.log(), cause);
            }
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        if (cause instanceof IOException e) {
            return Sentences.unwritable(identity.log(), e);
        }
        return new EmbeddedServerException(
                "Kafka did not start in "
                        + identity.log()
                        + ": "
                        + cause.getClass().getSimpleName()
                        + ", "
                        + cause.getMessage()
                        + ".",
                cause);
    }

    /** Whether the broker has ended within a bounded time; may be called again. */
    synchronized boolean shutDown() {
        if (ending == null) {
            exits.forget();
            ending =
                    Thread.ofPlatform()
                            .daemon()
                            .name("embedded-kafka-shutdown")
                            .start(this::shutDownNow);
        }
        try {
            if (exits.lost().isDone() && !ending.join(GOODBYE_LIMIT)) {
                // It waits five minutes for its controller's leave, which is lost as well.
                ending.interrupt();
            }
            return ending.join(SHUTDOWN_LIMIT);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void shutDownNow() {
        server.shutdown();
        server.awaitShutdown();
    }
}
