package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;

import dev.muster.embedded.EmbeddedPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** Each service as its own process, killed alone. */
class ServicesIT {

    private final Map<String, MusterProcess> services = new LinkedHashMap<>();
    private Installation muster;

    @BeforeEach
    void servers() throws IOException {
        muster = new Installation();
        start("postgres");
        start("kafka");
    }

    @AfterEach
    void down() throws Exception {
        muster.close();
    }

    private void start(String service) throws IOException {
        services.put(service, muster.run(Map.of(), "run", service, "-c", "service.id=" + service));
    }

    private void startAndServe(String... names) throws IOException {
        for (String name : names) {
            start(name);
        }
        awaitGateway();
    }

    private void awaitGateway() {
        await().atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(100))
                .until(muster::serves);
    }

    private void kill(String service) throws InterruptedException {
        MusterProcess process = Objects.requireNonNull(services.get(service));
        assertThat(process.alive()).as(service + " ended: " + process.output()).isTrue();
        process.kill();
    }

    @Test
    void aTwoInstanceJobEndsWellWhileEachServiceIsKilledInTheMiddleOfIt() throws Exception {
        startAndServe("scheduler", "gateway", "executor");
        for (String service : List.of("executor", "scheduler", "gateway", "kafka", "postgres")) {
            String id = muster.submit(Installation.shellJob("through-" + service, 2, "sleep 2"));
            muster.awaitState(id, "RUNNING", "FINISHING", "SUCCEEDED");

            kill(service);
            start(service);

            awaitGateway();
            muster.awaitState(Duration.ofMinutes(2), id, "SUCCEEDED");
        }
        KillIT.assertSound(muster);
    }

    @Test
    void twoHundredJobsKilledBetweenAcceptanceAndPlacementAllRunOnce() throws Exception {
        startAndServe("scheduler", "gateway");
        kill("scheduler");
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            ids.add(muster.submit(Installation.shellJob("one-of-many-" + i, 1, "true")));
        }

        kill("gateway");
        kill("kafka");
        start("kafka");
        startAndServe("scheduler", "gateway", "executor");

        for (String id : ids) {
            muster.awaitState(Duration.ofMinutes(3), id, "SUCCEEDED");
        }
        KillIT.assertSound(muster);
    }

    @Test
    void everyAcknowledgedJobIsThereAfterPostgresEndedAtOnceUnderLoad() throws Exception {
        startAndServe("scheduler", "gateway");
        List<String> acknowledged = new CopyOnWriteArrayList<>();
        AtomicBoolean over = new AtomicBoolean();
        Thread load =
                Thread.ofVirtual()
                        .start(() -> {
                            while (!over.get()) {
                                submitOne(acknowledged);
                            }
                        });
        await().atMost(Duration.ofSeconds(30)).until(() -> acknowledged.size() > 50);

        endPostgresAtOnce();

        int before = acknowledged.size();
        await().atMost(Duration.ofSeconds(90)).until(() -> acknowledged.size() > before + 50);
        over.set(true);
        load.join();
        try (ApiClient api = muster.api()) {
            for (String id : acknowledged) {
                JsonNode job = api.get(Jobs.path(id));
                assertThat(job.path("id").asText()).isEqualTo(id);
            }
        }
        KillIT.assertSound(muster);
    }

    @Test
    void aGatewayWithoutFreeFileDescriptorsGoesOnOnceThereAreSomeAndLosesNothing()
            throws Exception {
        startAndServe("scheduler", "gateway");
        MusterProcess gateway = Objects.requireNonNull(services.get("gateway"));
        List<String> acknowledged = new CopyOnWriteArrayList<>();
        submitOne(acknowledged);
        URI url = URI.create(DataDirectory.line(muster.directory().resolve("url")).orElseThrow());
        AtomicBoolean over = new AtomicBoolean();
        Thread load;
        List<Socket> idle = new ArrayList<>();
        try {
            gateway.limitFiles(gateway.openFiles() + 4);
            load =
                    Thread.ofVirtual()
                            .start(() -> {
                                while (!over.get()) {
                                    submitOne(acknowledged);
                                }
                            });
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> {
                        idle.add(new Socket(url.getHost(), url.getPort()));
                        return gateway.output().contains("Too many open files");
                    });
        } finally {
            for (Socket each : idle) {
                each.close();
            }
            gateway.limitFiles(4096);
        }
        int before = acknowledged.size();
        await().atMost(Duration.ofSeconds(90)).until(() -> acknowledged.size() > before + 10);
        over.set(true);
        load.join();
        try (ApiClient api = muster.api()) {
            for (String id : acknowledged) {
                assertThat(api.get(Jobs.path(id)).path("id").asText()).isEqualTo(id);
            }
        }
        KillIT.assertSound(muster);
    }

    private void submitOne(List<String> acknowledged) {
        try {
            acknowledged.add(muster.submit(Installation.shellJob("under-load", 1, "true")));
        } catch (CommandFailure e) {
            // refused while PostgreSQL is away: not acknowledged
        }
    }

    /** What {@code pg_ctl stop -m immediate} sends: no checkpoint, sessions cut. */
    private void endPostgresAtOnce() throws IOException {
        long pid = EmbeddedPostgres.read(muster.directory()).orElseThrow().pid();
        assertThat(
                        new ProcessBuilder("kill", "-QUIT", Long.toString(pid))
                                .start()
                                .onExit()
                                .join()
                                .exitValue())
                .isZero();
    }

    @Test
    void theSecondOfTwoGatewaysServesWhatTheFirstAccepted() throws Exception {
        startAndServe("scheduler", "gateway", "executor");
        String id = muster.submit(Installation.shellJob("first", 1, "true"));
        MusterProcess second = muster.run(Map.of(), "run", "gateway", "-c", "service.id=gateway-2");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> second.output().contains("gateway serves"));

        assertThat(
                        Set.of(
                                "SUBMITTED",
                                "QUEUED",
                                "PREPARING",
                                "STARTING",
                                "RUNNING",
                                "FINISHING",
                                "SUCCEEDED"))
                .contains(muster.state(id));
        String other = muster.submit(Installation.shellJob("second", 1, "true"));
        muster.awaitState(other, "SUCCEEDED");
        muster.awaitState(id, "SUCCEEDED");
        KillIT.assertSound(muster);
    }
}
