package dev.muster.platform.sql;

import static dev.muster.platform.config.PlatformSettings.SQL_DATABASE;
import static dev.muster.platform.config.PlatformSettings.SQL_HOST;
import static dev.muster.platform.config.PlatformSettings.SQL_PASSWORD;
import static dev.muster.platform.config.PlatformSettings.SQL_PORT;
import static dev.muster.platform.config.PlatformSettings.SQL_USER;

import dev.muster.platform.config.Settings;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** Flyway, one history per schema. */
final class Migrations {

    private Migrations() {}

    /** Blocks. */
    static void run(Settings settings, String schema) {
        String url =
                "jdbc:postgresql://%s:%d/%s"
                        .formatted(
                                settings.get(SQL_HOST),
                                settings.get(SQL_PORT),
                                settings.get(SQL_DATABASE));
        try {
            Flyway.configure(Migrations.class.getClassLoader())
                    .dataSource(url, settings.get(SQL_USER), settings.get(SQL_PASSWORD))
                    .schemas(schema)
                    .defaultSchema(schema)
                    .createSchemas(true)
                    .locations("classpath:db/" + schema)
                    .failOnMissingLocations(true)
                    .connectRetries(10)
                    .connectRetriesInterval(1)
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw new IllegalStateException(
                    "the schema " + schema + " cannot be brought up to date: " + firstLine(e), e);
        }
    }

    private static String firstLine(FlywayException e) {
        String message = e.getMessage();
        return message == null ? "" : message.lines().findFirst().orElse("").strip();
    }
}
