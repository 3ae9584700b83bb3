package dev.muster.bench;

import dev.muster.embedded.EmbeddedKafka;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.EmbeddedServers;
import dev.muster.embedded.KafkaConnection;
import dev.muster.embedded.PostgresConnection;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;

/** A whole Muster in a process of its own on a fresh data directory. */
final class MusterUnderTest implements AutoCloseable {

    private static final List<String> DURABLE =
            List.of("fsync", "synchronous_commit", "full_page_writes");

    private final Path directory;
    private final ChildProcess process;
    private final PostgresConnection postgres;
    private final BenchDatabase database;

    private MusterUnderTest(Path directory, ChildProcess process) {
        this.directory = directory;
        this.process = process;
        this.postgres =
                EmbeddedPostgres.read(directory)
                        .orElseThrow(() -> new BenchFailed("no PostgreSQL in " + directory));
        this.database = new BenchDatabase(postgres);
    }

    /** Starts `muster up` with these settings and waits until it serves. */
    static MusterUnderTest start(List<String> jvmOptions, String... settings) {
        Progress.say("starting PostgreSQL, Kafka and all services");
        try {
            Path directory = Files.createTempDirectory("muster-bench");
            List<String> arguments =
                    new ArrayList<>(List.of("up", "--data-dir", directory.toString()));
            arguments.addAll(List.of("-c", "gateway.port=0"));
            for (String setting : settings) {
                arguments.addAll(List.of("-c", setting));
            }
            ChildProcess process =
                    ChildProcess.java(
                            "dev.muster.cli.Main",
                            jvmOptions,
                            arguments,
                            directory.resolve("muster.log"));
            try {
                process.line(line -> line.startsWith("Muster serves at"));
            } catch (BenchFailed e) {
                throw new BenchFailed(
                        "Muster did not start: "
                                + Files.readString(directory.resolve("muster.log")));
            }
            return new MusterUnderTest(directory, process);
        } catch (IOException e) {
            throw new BenchFailed("no data directory can be made: " + e.getMessage(), e);
        }
    }

    Path directory() {
        return directory;
    }

    int port() {
        return URI.create(read("url")).getPort();
    }

    String token() {
        return read("token");
    }

    private String read(String name) {
        try {
            return Files.readString(directory.resolve(name)).strip();
        } catch (IOException e) {
            throw new BenchFailed(name + " cannot be read: " + e.getMessage(), e);
        }
    }

    BenchDatabase database() {
        return database;
    }

    /** Whether the settings that make a commit durable are in force, read back from the server. */
    boolean durable() {
        return database.ask(statement -> {
            for (String setting : DURABLE) {
                try (ResultSet result = statement.executeQuery("SHOW " + setting)) {
                    result.next();
                    if (!result.getString(1).equals("on")) {
                        return false;
                    }
                }
            }
            return true;
        });
    }

    long acceptedRows() {
        return database.number("SELECT count(*) FROM gateway.job_spec");
    }

    /** Processor time of all of it and of all jobs that ended, in milliseconds. */
    long cpuMillis() {
        return CpuTime.millis(process.pid(), postgres.pid());
    }

    /** Rows that were inserted or updated so far, as the server has counted by now. */
    long rowsWritten() {
        return database.number(
                "SELECT tup_inserted + tup_updated FROM pg_stat_database"
                        + " WHERE datname = current_database()");
    }

    /** Records in all topics so far, Kafka's own included. */
    long messagesWritten() {
        KafkaConnection kafka =
                EmbeddedKafka.read(directory)
                        .orElseThrow(() -> new BenchFailed("no Kafka in " + directory));
        Map<String, Object> properties = new HashMap<>(kafka.clientProperties());
        try (Admin admin = Admin.create(properties)) {
            Map<TopicPartition, OffsetSpec> all = new HashMap<>();
            Set<String> topics =
                    admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
            admin.describeTopics(topics)
                    .allTopicNames()
                    .get()
                    .forEach((topic, described) ->
                            described
                                    .partitions()
                                    .forEach(each ->
                                            all.put(
                                                    new TopicPartition(topic, each.partition()),
                                                    OffsetSpec.latest())));
            return admin.listOffsets(all).all().get().values().stream()
                    .mapToLong(ListOffsetsResult.ListOffsetsResultInfo::offset)
                    .sum();
        } catch (ExecutionException e) {
            throw new BenchFailed("Kafka does not answer: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailed("interrupted", e);
        }
    }

    /** Waits until the journal has taken all that the gateway's lanes hold; returns that moment. */
    long awaitJournalled(long patienceSeconds) throws InterruptedException {
        long deadline = System.nanoTime() + patienceSeconds * 1_000_000_000L;
        while (database.number(UNJOURNALLED) > 0) {
            if (System.nanoTime() > deadline) {
                throw new BenchFailed(
                        "the journal lacks "
                                + database.number(UNJOURNALLED)
                                + " records after "
                                + patienceSeconds
                                + " s");
            }
            Thread.sleep(10);
        }
        return System.currentTimeMillis();
    }

    private static final String UNJOURNALLED =
            """
            SELECT coalesce(sum(l.n - coalesce((h.positions ->> l.lane)::bigint, 0)), 0)
            FROM gateway.pub_lane l
            LEFT JOIN scheduler.pub_pool_head h ON h.positions ? l.lane
            """;

    /** Heap in use, MiB. */
    long heapMebibytes() {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(read("url") + "/metrics"))
                        .header("authorization", "Bearer " + token())
                        .build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            String metrics = http.send(request, BodyHandlers.ofString()).body();
            double bytes =
                    metrics.lines()
                            .filter(line -> line.startsWith("jvm_memory_used_bytes"))
                            .filter(line -> line.contains("area=\"heap\""))
                            .mapToDouble(line ->
                                    Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                            .sum();
            return Math.round(bytes / (1 << 20));
        } catch (IOException e) {
            throw new BenchFailed("the metrics cannot be read: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailed("interrupted", e);
        }
    }

    @Override
    public void close() {
        process.close();
        deleteInstances();
        EmbeddedServers.discard(directory);
    }

    /** Where commands run as another user, the instances lie outside the data directory. */
    private void deleteInstances() {
        Path instances = directory.resolve("instances");
        try {
            if (Files.isSymbolicLink(instances)) {
                Path outside = instances.toRealPath().getParent();
                if (outside != null && Files.exists(outside.resolve("data-directory"))) {
                    EmbeddedServers.discard(outside);
                }
            }
        } catch (IOException e) {
            Progress.say("the files of the instances stay: " + e.getMessage());
        }
    }
}
