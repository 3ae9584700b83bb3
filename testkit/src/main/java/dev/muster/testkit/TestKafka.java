package dev.muster.testkit;

import dev.muster.embedded.EmbeddedKafka;
import dev.muster.embedded.KafkaConnection;
import dev.muster.embedded.KafkaSettings;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** One Kafka for all tests of this JVM, started on first use. Tests keep apart by topic names. */
public final class TestKafka {
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final short ONE_REPLICA = 1;
    private static final long ANSWER_SECONDS = 30;

    private final EmbeddedKafka server;

    private TestKafka() {
        Path directory = TestDirectory.create("kafka");
        server = EmbeddedKafka.start(directory, KafkaSettings.defaults());
        TestDirectory.deleteAtExit(directory, server::close);
    }

    private static final class Holder {
        static final TestKafka SHARED = new TestKafka();
    }

    public static TestKafka shared() {
        return Holder.SHARED;
    }

    public KafkaConnection connection() {
        return server.connection();
    }

    /** A beginning for names of topics and groups that no other test of this JVM has. */
    public String newPrefix() {
        return "t" + NEXT.incrementAndGet() + ".";
    }

    /** The settings of a service that is to use this Kafka, with topics that no other test has. */
    public Map<String, String> settings() {
        KafkaConnection connection = connection();
        return Map.of(
                "kafka.bootstrap", connection.bootstrapServers(),
                "kafka.user", connection.user(),
                "kafka.password", connection.password(),
                "kafka.prefix", newPrefix() + "muster");
    }

    /** A topic of its own. */
    public String freshTopic(int partitions) {
        String name = newPrefix() + "topic";
        createTopics(partitions, List.of(name));
        return name;
    }

    /** Returns when the topics exist. */
    public void createTopics(int partitions, Collection<String> names) {
        try (Admin admin = Admin.create(Map.copyOf(connection().clientProperties()))) {
            admin.createTopics(
                            names.stream()
                                    .map(name -> new NewTopic(name, partitions, ONE_REPLICA))
                                    .toList())
                    .all()
                    .get(ANSWER_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("topics " + names + " could not be made", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
