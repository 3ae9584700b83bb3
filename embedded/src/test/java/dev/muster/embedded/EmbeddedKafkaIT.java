package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

class EmbeddedKafkaIT {
    private static final String TOPIC = "muster.test";

    @TempDir Path temporary;

    @AfterEach
    void endsWhatATestLeft() {
        boolean _ = EmbeddedServers.discard(data());
    }

    private Path data() {
        return temporary.resolve("data");
    }

    private EmbeddedKafka start() {
        return EmbeddedKafka.start(data(), KafkaSettings.defaults());
    }

    private static Map<String, Object> client(KafkaConnection connection) {
        return new HashMap<>(connection.clientProperties());
    }

    private static void createTopic(KafkaConnection connection) throws Exception {
        try (Admin admin = Admin.create(client(connection))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private static void produce(KafkaConnection connection, String... values) throws Exception {
        try (var producer =
                new KafkaProducer<>(
                        client(connection), new StringSerializer(), new StringSerializer())) {
            for (String value : values) {
                producer.send(new ProducerRecord<>(TOPIC, value)).get(30, TimeUnit.SECONDS);
            }
        }
    }

    private static List<String> consume(KafkaConnection connection, int count) {
        List<String> values = new ArrayList<>();
        TopicPartition partition = new TopicPartition(TOPIC, 0);
        try (var consumer =
                new KafkaConsumer<>(
                        client(connection), new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            Deadline deadline = Deadline.in(Duration.ofSeconds(60));
            while (values.size() < count && !deadline.hasPassed()) {
                for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofSeconds(1))) {
                    values.add(each.value());
                }
            }
        }
        return values;
    }

    @Test
    void carriesRecordsOverSaslOnLoopbackAloneAndRefusesAWrongPassword() throws Exception {
        try (EmbeddedKafka kafka = start()) {
            KafkaConnection connection = kafka.connection();
            createTopic(connection);
            produce(connection, "one", "two");
            assertThat(consume(connection, 2)).containsExactly("one", "two");

            KafkaConnection wrong =
                    new KafkaConnection(
                            connection.host(), connection.port(), connection.user(), "wrong", 0);
            assertThatThrownBy(() -> createTopic(wrong))
                    .hasCauseInstanceOf(SaslAuthenticationException.class);
            try (Admin admin = Admin.create(client(connection))) {
                assertThatThrownBy(() ->
                                admin.describeTopics(List.of("never.made"))
                                        .allTopicNames()
                                        .get(30, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
            }
            assertThat(Listeners.of(connection.pid()))
                    .hasSizeGreaterThanOrEqualTo(2)
                    .allMatch(address -> address.startsWith("127.0.0.1:"));
            assertThat(EmbeddedKafka.read(data())).contains(connection);
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(
                                            data().resolve("kafka.properties"))))
                    .isEqualTo("rw-------");
            assertThat(connection.toString()).doesNotContain(connection.password());

            assertThatThrownBy(this::start)
                    .isInstanceOf(EmbeddedServerException.class)
                    .hasMessageContaining("is in use by this process");
        }
        try (EmbeddedKafka again = start()) {
            assertThat(consume(again.connection(), 2)).containsExactly("one", "two");
        }
    }

    @Test
    void keepsItsRecordsWhenItsJvmIsKilled() throws Exception {
        try (ServerInChild child = ServerInChild.start("kafka", data())) {
            KafkaConnection left = EmbeddedKafka.read(data()).orElseThrow();
            createTopic(left);
            produce(left, "one", "two");
            child.kill();
            try (EmbeddedKafka kafka = start()) {
                assertThat(kafka.connection().port()).isEqualTo(left.port());
                assertThat(consume(kafka.connection(), 2)).containsExactly("one", "two");
            }
        }
    }

    @Test
    void saysWhichConfiguredPortIsInUse() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            KafkaSettings configured = KafkaSettings.defaults().withPort(taken.getLocalPort());
            assertThatThrownBy(() -> EmbeddedKafka.start(data(), configured))
                    .isInstanceOf(EmbeddedServerException.class)
                    .hasMessageContaining(
                            "The port "
                                    + taken.getLocalPort()
                                    + " that is configured for kafka is in use");
        }
    }
}
