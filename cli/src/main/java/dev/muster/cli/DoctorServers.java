package dev.muster.cli;

import dev.muster.executor.ExecutorSettings;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.kafka.KafkaAccess;
import dev.muster.platform.kafka.KafkaProbe;
import dev.muster.platform.sql.Database;
import dev.muster.storage.FileObjectStore;
import dev.muster.storage.ObjectLocation;

import org.apache.kafka.common.KafkaException;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** Whether PostgreSQL, Kafka, the object store and every service can be used. */
final class DoctorServers implements Doctor.Check {

    private final OpenDirectory open;
    private final boolean running;

    DoctorServers(OpenDirectory open, boolean running) {
        this.open = open;
        this.running = running;
    }

    @Override
    public void examine(List<Finding> findings) {
        Database.Durability found = OpenDirectory.await(open.database().durability());
        findings.add(
                Finding.of(
                        found.durable(),
                        "postgres.durable",
                        "fsync=%s synchronous_commit=%s full_page_writes=%s"
                                .formatted(
                                        onOff(found.fsync()),
                                        onOff(found.synchronousCommit()),
                                        onOff(found.fullPageWrites())),
                        "all on",
                        "switch them on in postgresql.conf: an accepted job could be lost in a"
                                + " power failure"));
        findings.add(kafka());
        stores(findings);
        services(findings);
    }

    private static String onOff(boolean value) {
        return value ? "on" : "off";
    }

    private Finding kafka() {
        String brokers = String.join(", ", open.settings().get(PlatformSettings.KAFKA_BOOTSTRAP));
        if (!running) {
            return Finding.skipped("kafka", "Muster does not run here");
        }
        boolean answers = kafkaAnswers();
        return Finding.of(
                answers,
                "kafka",
                (answers ? "answers at " : "does not answer at ") + brokers,
                "an answer within 2 s",
                "see whether the broker runs and kafka.bootstrap names it: jobs are accepted"
                        + " meanwhile, and nothing is decided");
    }

    private boolean kafkaAnswers() {
        try (KafkaProbe probe = new KafkaProbe(new KafkaAccess(open.settings()))) {
            return OpenDirectory.await(
                    probe.check(open.vertx()).map(_ -> true).otherwise(_ -> false));
        } catch (KafkaException e) {
            return false; // no name of kafka.bootstrap can be resolved
        }
    }

    private void stores(List<Finding> findings) {
        try {
            ExecutorSettings.stores(open.settings(), open.directory().store())
                    .forEach((scheme, folder) -> findings.add(store(scheme, folder)));
        } catch (IllegalArgumentException e) {
            findings.add(
                    Finding.wrong(
                            "stores",
                            String.valueOf(e.getMessage()),
                            "scheme=directory",
                            "correct executor.stores"));
        }
    }

    /** Writes, reads and removes an object, as jobs do. */
    private static Finding store(String scheme, Path folder) {
        String check = "store." + scheme;
        String key = ".doctor/" + UUID.randomUUID();
        try {
            ObjectLocation object = ObjectLocation.parse(scheme + "://muster/" + key);
            byte[] written = key.getBytes(StandardCharsets.UTF_8);
            FileObjectStore store = new FileObjectStore(folder);
            store.write(object, new ByteArrayInputStream(written), written.length);
            byte[] read;
            try (InputStream in = store.read(object, 0)) {
                read = in.readAllBytes();
            }
            Files.delete(folder.resolve("muster").resolve(key));
            return Finding.of(
                    Arrays.equals(read, written),
                    check,
                    folder + " takes and gives objects",
                    "what was written comes back",
                    "look at the disk: the object store gives back other bytes than it was given");
        } catch (IOException | IllegalArgumentException e) {
            return Finding.wrong(
                    check,
                    folder + ": " + e.getMessage(),
                    "objects can be written and read",
                    "make the folder writable for Muster, or correct executor.stores");
        }
    }

    private void services(List<Finding> findings) {
        if (!running) {
            findings.add(Finding.skipped("services", "Muster does not run here"));
            return;
        }
        try (ServiceProbe probe = new ServiceProbe(open)) {
            for (ServiceProbe.Entry each : probe.entries()) {
                findings.add(service(probe, each));
            }
        }
    }

    private static Finding service(ServiceProbe probe, ServiceProbe.Entry service) {
        String check = "service." + service.id();
        if (!service.live()) {
            return Finding.wrong(
                    check,
                    "silent for " + service.silentMillis() / 1000 + " s",
                    "shows itself each second",
                    "start it again with the same service.id, or delete its row of"
                            + " platform.service if it is not to come back");
        }
        return probe.illness(service)
                .map(problem ->
                        Finding.wrong(
                                check,
                                problem,
                                "ready",
                                "mend what it names; the log of the service says more"))
                .orElseGet(() -> Finding.well(check, "ready at " + service.url(), ""));
    }
}
