package dev.muster.bench;

import dev.muster.domain.Event;
import dev.muster.embedded.EmbeddedKafka;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.EmbeddedServers;
import dev.muster.embedded.KafkaConnection;
import dev.muster.embedded.PostgresConnection;
import dev.muster.platform.codec.Decoded;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * PostgreSQL and Kafka as processes of their own on a fresh data directory, and schedulers there.
 */
final class RecoveryStack implements AutoCloseable {

    private static final String MAIN = "dev.muster.cli.Main";

    private final Path directory;
    private final ChildProcess postgres;
    private final ChildProcess kafka;
    private final PostgresConnection sql;
    private final BenchDatabase database;
    private final List<ChildProcess> schedulers = new ArrayList<>();
    private List<String> archive = List.of();

    private RecoveryStack(Path directory, ChildProcess postgres, ChildProcess kafka) {
        this.directory = directory;
        this.postgres = postgres;
        this.kafka = kafka;
        this.sql =
                EmbeddedPostgres.read(directory)
                        .orElseThrow(() -> new BenchFailed("no PostgreSQL in " + directory));
        this.database = new BenchDatabase(sql);
    }

    static RecoveryStack start() {
        Progress.say("starting PostgreSQL and Kafka");
        try {
            Path directory = Files.createTempDirectory("muster-recovery");
            ChildProcess postgres = run(directory, List.of(), "postgres");
            postgres.line(line -> line.startsWith("postgres serves"));
            ChildProcess kafka = run(directory, List.of("-Xmx1g"), "kafka");
            kafka.line(line -> line.startsWith("kafka serves"));
            return new RecoveryStack(directory, postgres, kafka);
        } catch (IOException e) {
            throw new BenchFailed("no data directory can be made: " + e.getMessage(), e);
        }
    }

    private static ChildProcess run(
            Path directory, List<String> jvmOptions, String service, String... settings) {
        List<String> arguments =
                new ArrayList<>(List.of("run", service, "--data-dir", directory.toString()));
        for (String each : settings) {
            arguments.addAll(List.of("-c", each));
        }
        return ChildProcess.java(MAIN, jvmOptions, arguments, directory.resolve("muster.log"));
    }

    /** Settings for what of Muster runs in this JVM. */
    Settings settings() {
        KafkaConnection to =
                EmbeddedKafka.read(directory)
                        .orElseThrow(() -> new BenchFailed("no Kafka in " + directory));
        return Settings.defaults()
                .with(PlatformSettings.SQL_HOST, sql.host())
                .with(PlatformSettings.SQL_PORT, sql.port())
                .with(PlatformSettings.SQL_DATABASE, sql.database())
                .with(PlatformSettings.SQL_USER, sql.user())
                .with(PlatformSettings.SQL_PASSWORD, sql.password())
                .with(PlatformSettings.KAFKA_BOOTSTRAP, List.of(to.bootstrapServers()))
                .with(PlatformSettings.KAFKA_USER, to.user())
                .with(PlatformSettings.KAFKA_PASSWORD, to.password())
                .with(PlatformSettings.LANE_WINDOW, 1_000_000)
                .with(PlatformSettings.LANE_WINDOW_BYTES, 1L << 30)
                .with(PlatformSettings.SERVICE_ID, "bench");
    }

    /** Shows what a start logged, by the time that it took. */
    void tellSteps(long sinceMillis) {
        try {
            for (String line : Files.readAllLines(log())) {
                String[] words = line.split(" ", 2);
                if (words.length == 2 && words[0].matches("[0-9-]+T[0-9:.]+Z")) {
                    long at = Instant.parse(words[0]).toEpochMilli() - sinceMillis;
                    if (at >= 0) {
                        Progress.say("after " + at + " ms: " + words[1].strip());
                    }
                }
            }
        } catch (IOException e) {
            throw new BenchFailed("the log cannot be read: " + e.getMessage(), e);
        }
    }

    Path log() {
        return directory.resolve("muster.log");
    }

    /** Lets the JVM write an archive of the classes it loads, as the launcher does once. */
    void archiveClasses() {
        Progress.say("a first run, at the end of which its classes are archived");
        Path file = directory.resolve("scheduler.jsa");
        ChildProcess first =
                run(
                        directory,
                        List.of("-XX:ArchiveClassesAtExit=" + file),
                        "scheduler",
                        "service.id=a");
        first.line(line -> line.startsWith("scheduler runs"));
        first.close();
        archive = Files.exists(file) ? List.of("-XX:SharedArchiveFile=" + file) : List.of();
    }

    /** Starts a scheduler; it is not waited for. */
    ChildProcess scheduler(String id, List<String> jvmOptions) {
        List<String> options = new ArrayList<>(jvmOptions);
        options.addAll(archive);
        ChildProcess started = run(directory, options, "scheduler", "service.id=" + id);
        schedulers.add(started);
        return started;
    }

    long epoch() {
        return database.number("SELECT epoch FROM scheduler.pub_pool_head");
    }

    long headSeq() {
        return database.number("SELECT seq FROM scheduler.pub_pool_head");
    }

    /** When the lease in force ends or ended, in milliseconds since 1970. */
    long leaseUntilMillis() {
        return database.number(
                "SELECT (extract(epoch FROM lease_until) * 1000)::bigint FROM"
                        + " scheduler.pub_pool_head");
    }

    /** When the first row of an epoch after this one was appended, 0 if there is none yet. */
    long firstRowAfter(long epoch) {
        return database.number(
                "SELECT (extract(epoch FROM at) * 1000)::bigint FROM scheduler.journal WHERE epoch"
                        + " > "
                        + epoch
                        + " ORDER BY last_seq LIMIT 1");
    }

    /** When the first row with a grant of an epoch after this one was appended, 0 without one. */
    long firstGrantAfter(long epoch) {
        return database.ask(statement -> {
            try (ResultSet rows =
                    statement.executeQuery(
                            "SELECT (extract(epoch FROM at) * 1000)::bigint, body FROM"
                                    + " scheduler.journal WHERE epoch > "
                                    + epoch
                                    + " ORDER BY last_seq LIMIT 200")) {
                while (rows.next()) {
                    for (Decoded<Event> each : JournalBody.events(rows.getBytes(2))) {
                        if (each instanceof Decoded.Known<Event>(Event.GangGranted _)) {
                            return rows.getLong(1);
                        }
                    }
                }
                return 0L;
            }
        });
    }

    /** Seq of the newest snapshot, 0 without one. */
    long snapshotSeq() {
        return database.number("SELECT coalesce(max(seq), 0) FROM scheduler.snapshot");
    }

    long snapshotBytes() {
        return database.number(
                "SELECT sum(octet_length(body)) FROM scheduler.snapshot_part WHERE seq ="
                        + " (SELECT max(seq) FROM scheduler.snapshot)");
    }

    /** How long the newest snapshot took to write, as its writer says. */
    long snapshotMillis() {
        return database.number("SELECT took_ms FROM scheduler.snapshot ORDER BY seq DESC LIMIT 1");
    }

    @Override
    public void close() {
        schedulers.forEach(ChildProcess::kill);
        kafka.close();
        postgres.close();
        EmbeddedServers.discard(directory);
    }
}
