package dev.muster.executor;

import static org.awaitility.Awaitility.await;

import dev.muster.embedded.KafkaConnection;
import dev.muster.embedded.PostgresConnection;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Setting;
import dev.muster.platform.config.Settings;
import dev.muster.testkit.TestDatabase;
import dev.muster.testkit.TestKafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** What integration tests run an executor with. */
final class TestSettings {

    static final String TOKEN = "0123456789abcdef0123";

    /** Those that a process of its own has to be given. */
    static final List<Setting<?>> KEYS =
            List.of(
                    PlatformSettings.DATA_DIR,
                    PlatformSettings.SERVICE_ID,
                    PlatformSettings.SERVICE_TOKEN,
                    PlatformSettings.SQL_HOST,
                    PlatformSettings.SQL_PORT,
                    PlatformSettings.SQL_DATABASE,
                    PlatformSettings.SQL_USER,
                    PlatformSettings.SQL_PASSWORD,
                    PlatformSettings.KAFKA_BOOTSTRAP,
                    PlatformSettings.KAFKA_USER,
                    PlatformSettings.KAFKA_PASSWORD,
                    PlatformSettings.KAFKA_PREFIX,
                    PlatformSettings.KAFKA_PARTITIONS,
                    ExecutorSettings.STOP_GRACE_MILLIS,
                    ExecutorSettings.PROGRESS_INTERVAL_MILLIS,
                    ExecutorSettings.LOCAL_USER);

    private TestSettings() {}

    static Settings of(Path data, TestDatabase database) {
        PostgresConnection sql = database.connection();
        KafkaConnection kafka = TestKafka.shared().connection();
        return Settings.defaults()
                .with(PlatformSettings.DATA_DIR, data.toString())
                .with(PlatformSettings.SERVICE_ID, "one")
                .with(PlatformSettings.SERVICE_TOKEN, TOKEN)
                .with(PlatformSettings.SQL_HOST, sql.host())
                .with(PlatformSettings.SQL_PORT, sql.port())
                .with(PlatformSettings.SQL_DATABASE, sql.database())
                .with(PlatformSettings.SQL_USER, sql.user())
                .with(PlatformSettings.SQL_PASSWORD, sql.password())
                .with(PlatformSettings.KAFKA_BOOTSTRAP, List.of(kafka.bootstrapServers()))
                .with(PlatformSettings.KAFKA_USER, kafka.user())
                .with(PlatformSettings.KAFKA_PASSWORD, kafka.password())
                .with(PlatformSettings.KAFKA_PREFIX, TestKafka.shared().newPrefix() + "m")
                .with(PlatformSettings.KAFKA_PARTITIONS, 1)
                .with(ExecutorSettings.STOP_GRACE_MILLIS, 500)
                .with(ExecutorSettings.LOCAL_USER, System.getProperty("user.name"));
    }

    /** Puts the digits sample into the store of a data directory, and says where its output is. */
    static Path placeDigits(Path data) throws IOException {
        Path store = data.resolve("store/samples/digits");
        copy(Path.of("../samples/digits"), store.resolve("code"), ".py");
        copy(Path.of("../samples/digits/data"), store.resolve("data"), "");
        return store.resolve("out");
    }

    private static void copy(Path from, Path to, String ending) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                if (each.toString().endsWith(ending)) {
                    Files.copy(each, to.resolve(String.valueOf(each.getFileName())));
                }
            }
        }
    }

    /** Whatever a test did, nothing of its instances outlives it. */
    static void killInstances(Path data) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> {
                    List<Long> living =
                            InstanceScan.of(data).stream()
                                    .flatMap(each -> each.living().stream())
                                    .toList();
                    living.forEach(
                            pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
                    return living.isEmpty();
                });
    }
}
