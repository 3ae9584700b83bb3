package dev.muster.embedded;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

/** One run of a broker in this JVM: its log formatted on first start, started, shut down. */
final class KafkaBroker {
    private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(30);

    private final KafkaRaftServer server;

    private KafkaBroker(KafkaRaftServer server) {
        this.server = server;
    }

    /** Returns when the broker takes requests. */
    static KafkaBroker start(KafkaBrokerProperties identity, Properties properties) {
        KafkaRaftServer server = null;
        boolean started = false;
        try {
            format(identity);
            server = new KafkaRaftServer(KafkaConfig.fromProps(properties, false), Time.SYSTEM);
            server.startup();
            started = true;
            return new KafkaBroker(server);
        } catch (Exception | Error e) {
            throw failure(identity, e);
        } finally {
            if (!started && server != null) {
                new KafkaBroker(server).shutDown();
            }
        }
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
        for (Throwable each = cause; each != null; each = each.getCause()) {
            String message = String.valueOf(each.getMessage());
            if (Sentences.saysNoSpace(message)) {
                return Sentences.noSpace(identity.log(), cause);
            }
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

    /** Whether the broker ended within a bounded time. */
    boolean shutDown() {
        Thread thread =
                Thread.ofPlatform()
                        .daemon()
                        .name("embedded-kafka-shutdown")
                        .start(this::shutDownNow);
        try {
            return thread.join(SHUTDOWN_LIMIT);
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
