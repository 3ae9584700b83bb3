package dev.muster.platform.sql;

import static dev.muster.platform.config.PlatformSettings.SQL_DATABASE;
import static dev.muster.platform.config.PlatformSettings.SQL_HOST;
import static dev.muster.platform.config.PlatformSettings.SQL_PASSWORD;
import static dev.muster.platform.config.PlatformSettings.SQL_PORT;
import static dev.muster.platform.config.PlatformSettings.SQL_USER;

import dev.muster.platform.config.Settings;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.MigrationVersion;

import java.util.Optional;

/** Flyway, one history per schema. */
final class Migrations {

    private Migrations() {}

    /**
     * Blocks.
     *
     * @param target the version to stop at, empty for the newest
     */
    static void run(Settings settings, String schema, Optional<String> target) {
        String url =
                "jdbc:postgresql://%s:%d/%s"
                        .formatted(
                                settings.get(SQL_HOST),
                                settings.get(SQL_PORT),
                                settings.get(SQL_DATABASE));
        try {
            Flyway flyway =
                    Flyway.configure(Migrations.class.getClassLoader())
                            .dataSource(url, settings.get(SQL_USER), settings.get(SQL_PASSWORD))
                            .schemas(schema)
                            .defaultSchema(schema)
                            .createSchemas(true)
                            .locations("classpath:db/" + schema)
                            .failOnMissingLocations(true)
                            .initSql("SET TIME ZONE 'UTC'") // the JVM's would be the session's
                            .connectRetries(10)
                            .connectRetriesInterval(1)
                            .target(
                                    target.map(MigrationVersion::fromVersion)
                                            .orElse(MigrationVersion.LATEST))
                            .load();
            flyway.migrate();
            if (target.isEmpty()) {
                refuseNewer(flyway, schema);
            }
        } catch (FlywayException e) {
            throw new IllegalStateException(
                    "the schema " + schema + " cannot be brought up to date: " + firstLine(e), e);
        }
    }

    /** Flyway itself passes over what a newer version has done; we might misread its tables. */
    private static void refuseNewer(Flyway flyway, String schema) {
        for (MigrationInfo each : flyway.info().all()) {
            if (each.getState() == MigrationState.FUTURE_SUCCESS) {
                throw new IllegalStateException(
                        "the schema "
                                + schema
                                + " was written by a newer Muster (version "
                                + each.getVersion()
                                + " of its tables): start that one or a newer one, or restore a"
                                + " backup of before");
            }
        }
    }

    private static String firstLine(FlywayException e) {
        String message = e.getMessage();
        return message == null ? "" : message.lines().findFirst().orElse("").strip();
    }
}
