package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;

class EmbeddedPostgresIT {
    @TempDir Path temporary;

    @AfterEach
    void endsWhatATestLeft() {
        boolean _ = EmbeddedServers.discard(data());
    }

    private Path data() {
        return temporary.resolve("data");
    }

    private EmbeddedPostgres start() {
        return EmbeddedPostgres.start(data(), PostgresSettings.defaults());
    }

    private static Connection open(PostgresConnection connection) throws SQLException {
        return DriverManager.getConnection(
                connection.jdbcUrl(), connection.user(), connection.password());
    }

    private static String query(PostgresConnection connection, String sql) throws SQLException {
        try (Connection jdbc = open(connection);
                Statement statement = jdbc.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            assertThat(result.next()).isTrue();
            return result.getString(1);
        }
    }

    private static void execute(PostgresConnection connection, String sql) throws SQLException {
        try (Connection jdbc = open(connection);
                Statement statement = jdbc.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void isDurableAndPrivateAndAsksForAPassword() throws SQLException, IOException {
        try (EmbeddedPostgres postgres = start()) {
            PostgresConnection connection = postgres.connection();
            for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
                assertThat(query(connection, "SHOW " + setting)).isEqualTo("on");
            }
            assertThat(query(connection, "SHOW server_version")).startsWith("18.1");
            assertThat(query(connection, "SHOW data_checksums")).isEqualTo("on");
            assertThat(
                            query(
                                    connection,
                                    "SELECT rolsuper::text FROM pg_roles WHERE rolname = 'muster'"))
                    .isEqualTo("false");
            assertThatThrownBy(() ->
                            DriverManager.getConnection(
                                    connection.jdbcUrl(), connection.user(), "wrong"))
                    .hasMessageContaining("password authentication failed");
            assertThatThrownBy(() ->
                            DriverManager.getConnection(connection.jdbcUrl(), "postgres", "x"))
                    .isInstanceOf(SQLException.class);
            assertThat(Listeners.of(connection.pid()))
                    .containsExactly("127.0.0.1:" + connection.port());
            assertThat(permissions(data())).isEqualTo("rwx------");
            assertThat(permissions(data().resolve("postgres.properties"))).isEqualTo("rw-------");
            assertThat(permissions(data().resolve("postgres/password"))).isEqualTo("rw-------");
            assertThat(EmbeddedPostgres.read(data())).contains(connection);
            assertThat(connection.toString()).doesNotContain(connection.password());
        }
        assertThat(EmbeddedPostgres.read(data())).isEmpty();
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void isAdoptedAfterItsJvmWasKilledAndKeepsItsData() throws Exception {
        try (ServerInChild child = ServerInChild.start("postgres", data())) {
            PostgresConnection left = EmbeddedPostgres.read(data()).orElseThrow();
            execute(left, "CREATE TABLE kept AS SELECT 42 AS answer");

            assertThatThrownBy(this::start)
                    .isInstanceOf(EmbeddedServerException.class)
                    .hasMessageMatching(
                            "Data directory .* is in use by process \\d+: stop that, or choose"
                                    + " another data directory.");
            child.kill();

            try (EmbeddedPostgres adopted = start()) {
                assertThat(adopted.wasAdopted()).isTrue();
                assertThat(adopted.connection()).isEqualTo(left);
                assertThat(query(adopted.connection(), "SELECT answer FROM kept")).isEqualTo("42");
            }
            assertThat(LoopbackPorts.isFree(left.port())).isTrue();
        }
    }

    @Test
    void recoversWhenServerAndJvmWereBothKilled() throws Exception {
        try (ServerInChild child = ServerInChild.start("postgres", data())) {
            PostgresConnection left = EmbeddedPostgres.read(data()).orElseThrow();
            execute(left, "CREATE TABLE kept AS SELECT 42 AS answer");
            child.kill();
            ProcessHandle.of(left.pid()).ifPresent(ProcessHandle::destroyForcibly);

            try (EmbeddedPostgres started = start()) {
                assertThat(started.wasAdopted()).isFalse();
                assertThat(started.connection().port()).isEqualTo(left.port());
                assertThat(query(started.connection(), "SELECT answer FROM kept")).isEqualTo("42");
            }
        }
    }

    @Test
    void isStartedAgainWhenItEndsOnItsOwn() throws SQLException {
        try (EmbeddedPostgres postgres = start()) {
            PostgresConnection before = postgres.connection();
            execute(before, "CREATE TABLE kept AS SELECT 42 AS answer");
            ProcessHandle.of(before.pid()).ifPresent(ProcessHandle::destroyForcibly);

            await().atMost(Duration.ofSeconds(60))
                    .until(() ->
                            postgres.trouble().isEmpty()
                                    && postgres.connection().pid() != before.pid());
            PostgresConnection after = postgres.connection();
            assertThat(after.port()).isEqualTo(before.port());
            assertThat(query(after, "SELECT answer FROM kept")).isEqualTo("42");
            assertThat(EmbeddedPostgres.read(data())).contains(after);
        }
    }

    @Test
    void saysWhichConfiguredPortIsInUseAndChoosesAnewOtherwise() throws Exception {
        int kept;
        try (EmbeddedPostgres postgres = start()) {
            kept = postgres.connection().port();
        }
        try (ServerSocket taken = new ServerSocket(kept, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            PostgresSettings configured =
                    PostgresSettings.defaults().withPort(taken.getLocalPort());
            assertThatThrownBy(() -> EmbeddedPostgres.start(data(), configured))
                    .isInstanceOf(EmbeddedServerException.class)
                    .hasMessage(
                            "The port "
                                    + kept
                                    + " that is configured for postgres is in use on 127.0.0.1:"
                                    + " stop what listens there or configure another.");
            try (EmbeddedPostgres postgres = start()) {
                assertThat(postgres.connection().port()).isNotEqualTo(kept);
            }
        }
    }

    @Test
    void restartsALeftServerWhoseSettingsHaveChanged() throws Exception {
        try (ServerInChild child = ServerInChild.start("postgres", data())) {
            child.kill();
            PostgresSettings changed =
                    PostgresSettings.defaults().withOverrides(Map.of("max_connections", "33"));
            try (EmbeddedPostgres postgres = EmbeddedPostgres.start(data(), changed)) {
                assertThat(postgres.wasAdopted()).isFalse();
                assertThat(query(postgres.connection(), "SHOW max_connections")).isEqualTo("33");
            }
        }
    }

    @Test
    void refusesADirectoryOfAnotherVersion() throws IOException {
        Path cluster = Files.createDirectories(data().resolve("postgres/data"));
        Files.writeString(cluster.resolve("PG_VERSION"), "15\n");
        assertThatThrownBy(this::start)
                .isInstanceOf(EmbeddedServerException.class)
                .hasMessageContaining("was written by PostgreSQL 15 and this is PostgreSQL 18");
    }

    @Test
    void runsReallyAsNobodyWhereRootHasNoUserNamespaces() throws Exception {
        Path elsewhere = Files.createTempDirectory("muster-elsewhere");
        Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwxr-xr-x"));
        ServerUser nobody = new ServerUser.Nobody(elsewhere);
        assumeTrue(
                Command.run(nobody.wrap(List.of("true")), "", Duration.ofSeconds(10)).succeeded(),
                "this user cannot become another");
        try (EmbeddedPostgres postgres =
                EmbeddedPostgres.start(data(), PostgresSettings.defaults(), nobody)) {
            Path process = Path.of("/proc", Long.toString(postgres.connection().pid()));
            assertThat(Files.getAttribute(process, "unix:uid")).isEqualTo(ServerUser.NOBODY);
            assertThat(query(postgres.connection(), "SHOW fsync")).isEqualTo("on");
        } finally {
            ServerDirectory.deleteAll(elsewhere);
        }
    }
}
