package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Needs the right to mount a small file system in memory; skipped elsewhere. */
class FullDiskIT {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int RECORD_BYTES = 500_000;

    @TempDir Path temporary;

    private Path disk = Path.of("");

    @BeforeEach
    void mountsASmallDisk() throws IOException {
        disk = Files.createDirectory(temporary.resolve("disk"));
        assumeTrue(mount("160m"), "a tmpfs cannot be mounted here");
    }

    private boolean mount(String size) throws IOException {
        return Command.run(
                        List.of(
                                "mount",
                                "-t",
                                "tmpfs",
                                "-o",
                                "size=" + size,
                                "tmpfs",
                                disk.toString()),
                        "",
                        LIMIT)
                .succeeded();
    }

    @AfterEach
    void unmounts() throws IOException {
        boolean _ = EmbeddedServers.discard(disk.resolve("data"));
        Command.Outcome _ = Command.run(List.of("umount", "-l", disk.toString()), "", LIMIT);
    }

    private Path fill() throws IOException {
        Path filler = disk.resolve("filler");
        try (OutputStream out = Files.newOutputStream(filler)) {
            byte[] block = new byte[4096];
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left on device");
        }
        return filler;
    }

    @Test
    void isSaidAtTheFirstStart() throws IOException {
        Path filler = fill();
        Path data = disk.resolve("data");
        for (boolean postgres : List.of(true, false)) {
            assertThatThrownBy(() -> startAndClose(postgres, data))
                    .isInstanceOf(EmbeddedServerException.class)
                    .hasMessageMatching(
                            "No space is left on the disk of .*: free some, then start again\\.");
        }
        Files.delete(filler);
        startAndClose(true, data);
    }

    private static void startAndClose(boolean postgres, Path data) {
        if (postgres) {
            EmbeddedPostgres.start(data, PostgresSettings.defaults()).close();
        } else {
            EmbeddedKafka.start(data, KafkaSettings.defaults()).close();
        }
    }

    @Test
    void stopsPostgresOnlyUntilThereIsSpace() throws Exception {
        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.start(disk.resolve("data"), PostgresSettings.defaults())) {
            execute(postgres, "CREATE TABLE filled (text text)");
            execute(postgres, "INSERT INTO filled VALUES ('first')");
            Path filler = fill();
            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    execute(
                                            postgres,
                                            "INSERT INTO filled SELECT md5(n::text) FROM"
                                                    + " generate_series(1, 20000) n");
                                }
                            })
                    .isInstanceOf(SQLException.class);
            Files.delete(filler);

            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> {
                        execute(postgres, "INSERT INTO filled VALUES ('last')");
                        return postgres.trouble().isEmpty();
                    });
        }
    }

    private static void execute(EmbeddedPostgres postgres, String sql) throws SQLException {
        PostgresConnection connection = postgres.connection();
        try (Connection jdbc =
                        DriverManager.getConnection(
                                connection.jdbcUrl(), connection.user(), connection.password());
                Statement statement = jdbc.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void stopsKafkaOnlyUntilThereIsSpaceAndTheJvmNever() throws Exception {
        try (EmbeddedKafka kafka =
                EmbeddedKafka.start(disk.resolve("data"), KafkaSettings.defaults())) {
            Map<String, Object> client = new HashMap<>(kafka.connection().clientProperties());
            try (Admin admin = Admin.create(client)) {
                admin.createTopics(List.of(new NewTopic("filled", 1, (short) 1)))
                        .all()
                        .get(30, TimeUnit.SECONDS);
            }
            client.put("delivery.timeout.ms", 10_000);
            client.put("request.timeout.ms", 5_000);
            client.put("max.block.ms", 10_000);
            Path filler = fill();
            assertThatThrownBy(() -> produce(client, 400)).isInstanceOf(ExecutionException.class);
            await().atMost(PATIENCE).until(() -> kafka.trouble().isPresent());
            Files.delete(filler);

            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> {
                        produce(client, 1);
                        return kafka.trouble().isEmpty();
                    });
        }
    }

    private static void produce(Map<String, Object> client, int records) throws Exception {
        var producer =
                new KafkaProducer<>(client, new ByteArraySerializer(), new ByteArraySerializer());
        try {
            for (int i = 0; i < records; i++) {
                producer.send(new ProducerRecord<>("filled", new byte[RECORD_BYTES]))
                        .get(30, TimeUnit.SECONDS);
            }
        } finally {
            // Without a bound it would wait for a broker that is half gone.
            producer.close(LIMIT);
        }
    }
}
