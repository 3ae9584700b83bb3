package dev.muster.cli;

import static dev.muster.platform.config.PlatformSettings.KAFKA_BOOTSTRAP;
import static dev.muster.platform.config.PlatformSettings.KAFKA_PASSWORD;
import static dev.muster.platform.config.PlatformSettings.KAFKA_USER;
import static dev.muster.platform.config.PlatformSettings.SQL_DATABASE;
import static dev.muster.platform.config.PlatformSettings.SQL_HOST;
import static dev.muster.platform.config.PlatformSettings.SQL_PASSWORD;
import static dev.muster.platform.config.PlatformSettings.SQL_PORT;
import static dev.muster.platform.config.PlatformSettings.SQL_USER;

import dev.muster.embedded.EmbeddedKafka;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.EmbeddedServerException;
import dev.muster.embedded.KafkaConnection;
import dev.muster.embedded.KafkaSettings;
import dev.muster.embedded.PostgresConnection;
import dev.muster.embedded.PostgresSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.http.Tokens;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/** PostgreSQL and Kafka of a data directory, and the settings that lead services to them. */
final class EmbeddedStack implements AutoCloseable {

    private final EmbeddedPostgres postgres;
    private final EmbeddedKafka kafka;

    private EmbeddedStack(EmbeddedPostgres postgres, EmbeddedKafka kafka) {
        this.postgres = postgres;
        this.kafka = kafka;
    }

    /** Starts both at the same time. */
    static EmbeddedStack start(DataDirectory directory, Settings settings) {
        Executor threads = command -> Thread.ofPlatform().name("muster-start").start(command);
        CompletableFuture<EmbeddedPostgres> postgres =
                CompletableFuture.supplyAsync(() -> postgres(directory.path(), settings), threads);
        CompletableFuture<EmbeddedKafka> kafka =
                CompletableFuture.supplyAsync(() -> kafka(directory.path(), settings), threads);
        try {
            return new EmbeddedStack(postgres.join(), kafka.join());
        } catch (CompletionException e) {
            ifStarted(postgres).ifPresent(EmbeddedPostgres::close);
            ifStarted(kafka).ifPresent(EmbeddedKafka::close);
            throw sentence(e.getCause() == null ? e : e.getCause());
        }
    }

    private static <T> Optional<T> ifStarted(CompletableFuture<T> server) {
        return server.handle((started, failure) -> Optional.ofNullable(started)).join();
    }

    static EmbeddedPostgres postgres(Path directory, Settings settings) {
        int port = settings.get(CliSettings.POSTGRES_PORT);
        PostgresSettings wanted = PostgresSettings.defaults();
        return EmbeddedPostgres.start(directory, port == 0 ? wanted : wanted.withPort(port));
    }

    static EmbeddedKafka kafka(Path directory, Settings settings) {
        int port = settings.get(CliSettings.KAFKA_PORT);
        KafkaSettings wanted = KafkaSettings.defaults();
        return EmbeddedKafka.start(directory, port == 0 ? wanted : wanted.withPort(port));
    }

    static CommandFailure sentence(Throwable failure) {
        if (failure instanceof EmbeddedServerException known) {
            return new CommandFailure(ExitCodes.FAILED, String.valueOf(known.getMessage()));
        }
        throw new IllegalStateException(failure);
    }

    Settings lead(DataDirectory directory, Settings settings) {
        return withTokens(
                directory,
                withKafka(withPostgres(settings, postgres.connection()), kafka.connection()));
    }

    static Settings withPostgres(Settings settings, PostgresConnection to) {
        return settings.with(SQL_HOST, to.host())
                .with(SQL_PORT, to.port())
                .with(SQL_DATABASE, to.database())
                .with(SQL_USER, to.user())
                .with(SQL_PASSWORD, to.password());
    }

    static Settings withKafka(Settings settings, KafkaConnection to) {
        return settings.with(KAFKA_BOOTSTRAP, List.of(to.bootstrapServers()))
                .with(KAFKA_USER, to.user())
                .with(KAFKA_PASSWORD, to.password());
    }

    /** Tokens that the user did not configure are made on first start and kept. */
    static Settings withTokens(DataDirectory directory, Settings settings) {
        try {
            return Tokens.complete(settings, directory.path());
        } catch (UncheckedIOException e) {
            throw new CommandFailure(
                    ExitCodes.FAILED, "the token cannot be used: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        kafka.close();
        postgres.close();
    }
}
