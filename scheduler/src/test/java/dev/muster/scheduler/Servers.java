package dev.muster.scheduler;

import dev.muster.embedded.KafkaConnection;
import dev.muster.embedded.PostgresConnection;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Setting;
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

    /** The database as it is now, as a backup would bring it back. */
    TestDatabase copy() {
        return TestPostgres.shared().copyOf(database);
    }

    /** Of PostgreSQL alone. */
    Settings sqlSettings() {
        return sql(database.connection());
    }

    /** With topics of its own at each call. */
    Settings settings() {
        return settings(
                database.connection(),
                TestKafka.shared().connection(),
                TestKafka.shared().newPrefix() + "muster");
    }

    static Settings settings(PostgresConnection sql, KafkaConnection kafka, String prefix) {
        return sql(sql).with(PlatformSettings.KAFKA_BOOTSTRAP, List.of(kafka.bootstrapServers()))
                .with(PlatformSettings.KAFKA_USER, kafka.user())
                .with(PlatformSettings.KAFKA_PASSWORD, kafka.password())
                .with(PlatformSettings.KAFKA_PREFIX, prefix)
                .with(PlatformSettings.KAFKA_PARTITIONS, 2)
                .with(PlatformSettings.SERVICE_TOKEN, "a-token-for-tests-only");
    }

    private static Settings sql(PostgresConnection sql) {
        return Settings.defaults()
                .with(PlatformSettings.SQL_HOST, sql.host())
                .with(PlatformSettings.SQL_PORT, sql.port())
                .with(PlatformSettings.SQL_USER, sql.user())
                .with(PlatformSettings.SQL_PASSWORD, sql.password())
                .with(PlatformSettings.SQL_DATABASE, sql.database());
    }

    /** What {@link #settings} sets, for a process of its own. */
    static final List<Setting<?>> KEYS =
            List.of(
                    PlatformSettings.SQL_HOST,
                    PlatformSettings.SQL_PORT,
                    PlatformSettings.SQL_USER,
                    PlatformSettings.SQL_PASSWORD,
                    PlatformSettings.SQL_DATABASE,
                    PlatformSettings.KAFKA_BOOTSTRAP,
                    PlatformSettings.KAFKA_USER,
                    PlatformSettings.KAFKA_PASSWORD,
                    PlatformSettings.KAFKA_PREFIX,
                    PlatformSettings.KAFKA_PARTITIONS,
                    PlatformSettings.SERVICE_TOKEN,
                    PlatformSettings.SERVICE_ID,
                    PlatformSettings.JOURNAL_STORE,
                    SchedulerSettings.ROLL_SECONDS,
                    PlatformSettings.POOLS,
                    SchedulerSettings.BALANCE_SECONDS,
                    SchedulerSettings.LEASE_MILLIS,
                    SchedulerSettings.SNAPSHOT_EVENTS);

    @Override
    public void close() {
        database.close();
    }
}
