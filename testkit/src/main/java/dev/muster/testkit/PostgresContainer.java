package dev.muster.testkit;

import dev.muster.embedded.PostgresConnection;

import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A PostgreSQL in a container, which ends with the JVM. */
final class PostgresContainer {
    private static final String IMAGE = "muster.test.postgres.image";
    private static final int PORT = 5432;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /** A container's process is not this machine's to signal, so the id is one that none has. */
    private static final long NO_PROCESS = Long.MAX_VALUE;

    /**
     * Starts what the public image starts, and the same where an image has the programs alone; the
     * arguments are settings of the server.
     */
    private static final String SCRIPT =
            """
            if command -v docker-entrypoint.sh >/dev/null; then
                exec docker-entrypoint.sh postgres "$@"
            fi
            export PGDATA=/tmp/muster-test
            umask 077
            printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
            initdb --username=postgres --auth=scram-sha-256 --pwfile=/tmp/password --encoding=UTF8 \
                --locale=C >/dev/null || exit
            echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
            exec postgres -c listen_addresses='*' -c unix_socket_directories=/tmp "$@"
            """;

    private PostgresContainer() {}

    static PostgresConnection start(Map<String, String> settings) {
        String image = System.getProperty(IMAGE, "");
        if (image.isEmpty()) {
            throw new IllegalStateException(IMAGE + " names no image");
        }
        String password = UUID.randomUUID().toString();
        List<String> arguments = new ArrayList<>(List.of("-c", SCRIPT, "postgres"));
        settings.forEach((name, value) -> arguments.addAll(List.of("-c", name + "=" + value)));
        arguments.addAll(List.of("-c", "max_connections=200"));
        // it lives as long as the JVM does
        @SuppressWarnings("resource")
        GenericContainer<?> container =
                new GenericContainer<>(DockerImageName.parse(image))
                        .withExposedPorts(PORT)
                        .withEnv("POSTGRES_PASSWORD", password)
                        .withCreateContainerCmdModifier(command -> command.withEntrypoint("sh"))
                        .withCommand(arguments.toArray(String[]::new))
                        // by TCP: what the public image starts first, to prepare, has none
                        .waitingFor(
                                Wait.forSuccessfulCommand("pg_isready -q -h 127.0.0.1")
                                        .withStartupTimeout(PATIENCE));
        container.start();
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(container::stop));
        return new PostgresConnection(
                container.getHost(),
                container.getMappedPort(PORT),
                "postgres",
                "postgres",
                password,
                NO_PROCESS);
    }
}
