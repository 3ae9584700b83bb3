package dev.muster.scheduler;

import dev.muster.embedded.KafkaConnection;
import dev.muster.embedded.PostgresConnection;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.testkit.TestDatabase;
import dev.muster.testkit.TestKafka;
import dev.muster.testkit.TestPostgres;
import java.util.List;

/** A database and topics for one test on the servers of this JVM. */
final class Servers implements AutoCloseable {

    private final TestDatabase database = TestPostgres.shared().newDatabase();
    TestDatabase database() {
        return database;
    }

    /** Of PostgreSQL alone. */
    Settings sqlSettings() {
        PostgresConnection sql = database.connection();
        return Settings.defaults()
                .with(PlatformSettings.SQL_HOST, sql.host())
                .with(PlatformSettings.SQL_PORT, sql.port())
                .with(PlatformSettings.SQL_USER, sql.user())
                .with(PlatformSettings.SQL_PASSWORD, sql.password())
                .with(PlatformSettings.SQL_DATABASE, sql.database());
    }

    /** With topics of its own at each call. */
    Settings settings() {
        KafkaConnection kafka = TestKafka.shared().connection();
        String prefix = TestKafka.shared().newPrefix() + "muster";
        return sqlSettings()
                .with(PlatformSettings.KAFKA_BOOTSTRAP, List.of(kafka.bootstrapServers()))
                .with(PlatformSettings.KAFKA_USER, kafka.user())
                .with(PlatformSettings.KAFKA_PASSWORD, kafka.password())
                .with(PlatformSettings.KAFKA_PREFIX, prefix)
                .with(PlatformSettings.KAFKA_PARTITIONS, 2)
                .with(PlatformSettings.SERVICE_TOKEN, "a-token-for-tests-only");
    }

    @Override
    public void close() {
        database.close();
    }
}
