package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.gateway.GatewayFixture.Gateway;
import dev.muster.gateway.TestScheduler.Taken;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.kafka.KafkaAccess;
import dev.muster.testkit.FaultyProxy;

import io.vertx.core.json.JsonObject;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

/** What holds of lanes, whatever happens between the database, Kafka and the gateways. */
class LanesIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private GatewayFixture fixture;
    private TestScheduler scheduler;

    @BeforeEach
    void start() throws Exception {
        fixture = new GatewayFixture();
        scheduler = fixture.scheduler();
    }

    @AfterEach
    void stop() {
        fixture.close();
        scheduler.close();
    }

    /** A batch that holds a job of the project {@code slow} keeps its transaction open. */
    private void slowTransactions(double seconds) throws Exception {
        fixture.execute(
                """
                CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    PERFORM pg_sleep(%s);
                    RETURN NULL;
                END $$;
                CREATE TRIGGER slow AFTER INSERT ON gateway.job_view FOR EACH ROW
                WHEN (NEW.project = 'slow') EXECUTE FUNCTION slow()\
                """
                        .formatted(seconds));
    }

    private static String slow(String name) {
        return "{\"name\":\"" + name + "\",\"command\":\"true\",\"project\":\"slow\"}";
    }

    private void assertEveryLaneIsWholeAndInOrder(List<Taken> taken) {
        Map<String, List<Long>> lanes = new HashMap<>();
        taken.forEach(
                each -> lanes.computeIfAbsent(each.lane(), _ -> new ArrayList<>()).add(each.n()));
        lanes.forEach((lane, places) ->
                assertThat(places)
                        .as(lane)
                        .containsExactlyElementsOf(
                                LongStream.rangeClosed(1, places.size()).boxed().toList()));
    }

    @Test
    void nothingIsSkippedWhileOneGatewayHoldsItsTransaction() throws Exception {
        Gateway one = fixture.start("one");
        Gateway two = fixture.start("two");
        slowTransactions(2);
        scheduler.start();
        List<String> ids = new ArrayList<>();
        CompletableFuture<List<String>> held =
                CompletableFuture.supplyAsync(
                        () -> fixture.submitAll(one, 1, i -> slow("held"), i -> ""));
        await().atMost(PATIENCE)
                .until(() ->
                        !fixture.query(
                                        "SELECT pid FROM pg_stat_activity WHERE wait_event ="
                                                + " 'PgSleep'")
                                .isEmpty());
        CompletableFuture<List<String>> behind =
                CompletableFuture.supplyAsync(() ->
                        fixture.submitAll(one, 20, i -> GatewayFixture.spec("behind"), i -> ""));
        ids.addAll(fixture.submitAll(two, 20, i -> GatewayFixture.spec("beside"), i -> ""));
        assertThat(held).as("the transaction is still open").isNotDone();
        ids.addAll(held.join());
        ids.addAll(behind.join());
        await().atMost(PATIENCE).until(() -> scheduler.taken().size() >= ids.size());
        assertThat(scheduler.taken().stream().map(Taken::job))
                .containsExactlyInAnyOrderElementsOf(ids);
        assertEveryLaneIsWholeAndInOrder(scheduler.taken());
    }

    @Test
    void aBatchThatWasWrittenUnseenIsFoundAgain() throws Exception {
        try (FaultyProxy proxy = fixture.proxy()) {
            Gateway one = fixture.start("one", proxy);
            scheduler.start();
            List<String> ids = new ArrayList<>(List.of(fixture.submit(one, "before")));
            proxy.loseAnswers();
            CompletableFuture<List<String>> lost =
                    CompletableFuture.supplyAsync(() ->
                            fixture.submitAll(one, 5, i -> GatewayFixture.spec("lost"), i -> ""));
            await().atMost(PATIENCE)
                    .until(() ->
                            !fixture.query("SELECT job FROM gateway.job_view WHERE name = 'lost'")
                                    .isEmpty());
            proxy.breakConnections();
            ids.addAll(lost.join());
            ids.add(fixture.submit(one, "after"));
            await().atMost(PATIENCE).until(() -> scheduler.taken().size() >= ids.size());
            assertThat(scheduler.taken().stream().map(Taken::job))
                    .containsExactlyInAnyOrderElementsOf(ids);
            assertEveryLaneIsWholeAndInOrder(scheduler.taken());
            assertThat(fixture.query("SELECT job FROM gateway.job_spec")).hasSize(7);
        }
    }

    @Test
    void saysWhenToComeAgainWhilePostgresAnswersThreeSecondsLateAndLosesNothing() throws Exception {
        try (FaultyProxy proxy = fixture.proxy()) {
            Gateway one =
                    fixture.start(
                            "one",
                            s ->
                                    s.with(PlatformSettings.SQL_HOST, proxy.host())
                                            .with(PlatformSettings.SQL_PORT, proxy.port())
                                            .with(GatewaySettings.QUEUE_ENTRIES, 20)
                                            .with(GatewaySettings.BATCH_ROWS, 10)
                                            .with(GatewaySettings.ACCEPT_TIMEOUT_MILLIS, 120_000));
            scheduler.start();
            proxy.delayAnswers(Duration.ofSeconds(3));
            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < 80; i++) {
                HttpRequest request =
                        GatewayFixture.request(one, "/api/v1/jobs")
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                GatewayFixture.spec("slow-" + i)))
                                .build();
                answers.add(
                        fixture.client().sendAsync(request, HttpResponse.BodyHandlers.ofString()));
            }
            await().atMost(PATIENCE).until(() -> answers.stream().anyMatch(Future::isDone));
            proxy.delayAnswers(Duration.ZERO);

            List<String> accepted = new ArrayList<>();
            int refused = 0;
            for (CompletableFuture<HttpResponse<String>> each : answers) {
                HttpResponse<String> answer = each.join();
                if (answer.statusCode() == 202) {
                    accepted.add(new JsonObject(answer.body()).getString("id"));
                } else {
                    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(429);
                    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
                    refused++;
                }
            }
            assertThat(refused).isPositive();
            accepted.add(fixture.submit(one, "after"));
            await().atMost(PATIENCE).until(() -> scheduler.taken().size() >= accepted.size());
            assertThat(scheduler.taken().stream().map(Taken::job))
                    .containsExactlyInAnyOrderElementsOf(accepted);
            assertEveryLaneIsWholeAndInOrder(scheduler.taken());
        }
    }

    @Test
    void aBatchThatWasNotWrittenIsWrittenAgain() throws Exception {
        Gateway one = fixture.start("one");
        slowTransactions(1.5);
        scheduler.start();
        CompletableFuture<List<String>> killed =
                CompletableFuture.supplyAsync(
                        () -> fixture.submitAll(one, 1, i -> slow("killed"), i -> ""));
        await().atMost(PATIENCE)
                .until(() ->
                        !fixture.query(
                                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                                                + " WHERE wait_event = 'PgSleep'")
                                .isEmpty());
        List<String> ids = killed.join();
        await().atMost(PATIENCE).until(() -> scheduler.taken().size() >= 1);
        assertThat(scheduler.taken().stream().map(Taken::job)).containsExactlyElementsOf(ids);
        assertThat(fixture.query("SELECT job FROM gateway.job_spec")).hasSize(1);
    }

    @Test
    void whatKafkaLostIsPublishedAgainFromTheTable() throws Exception {
        Gateway one = fixture.start("one");
        List<String> ids =
                new ArrayList<>(
                        fixture.submitAll(one, 30, i -> GatewayFixture.spec("lost"), i -> ""));
        int stopped = fixture.post(one, "/api/v1/jobs/" + ids.getFirst() + "/stop", "").status();
        assertThat(stopped).as("no scheduler answers").isEqualTo(202);
        fixture.stop("one");
        loseEveryCommand();
        scheduler.start();
        Gateway again = fixture.start("one");
        ids.add(fixture.submit(again, "after"));
        await().atMost(PATIENCE).until(() -> scheduler.taken().size() >= ids.size() + 1);
        assertThat(scheduler.taken().stream().filter(t -> t.type().equals("SubmitJob")))
                .extracting(Taken::job)
                .containsExactlyInAnyOrderElementsOf(ids);
        assertEveryLaneIsWholeAndInOrder(scheduler.taken());
    }

    private void loseEveryCommand() throws Exception {
        KafkaAccess kafka = new KafkaAccess(fixture.settings());
        TopicPartition partition = new TopicPartition(kafka.topics().commands(), 0);
        try (Admin admin = Admin.create(kafka.client())) {
            admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(-1))).all().get();
        }
    }

    @Test
    void aGatewayWhosePlaceWasTakenWritesNothingMore() throws Exception {
        Gateway old = fixture.start("one");
        fixture.submit(old, "before");
        fixture.execute(
                "UPDATE gateway.lane_head SET epoch = epoch + 1, owner = gen_random_uuid()");
        int status =
                fixture.post(
                                old,
                                "/api/v1/jobs",
                                GatewayFixture.spec("zombie"),
                                "Idempotency-Key",
                                "z")
                        .status();
        assertThat(status).isEqualTo(503);
        assertThat(fixture.query("SELECT name FROM gateway.job_view")).containsExactly("before");
        assertThat(fixture.query("SELECT key FROM gateway.idempotency")).isEmpty();
        assertThat(fixture.get(old, "/health/ready").status()).isEqualTo(503);
    }

    @Test
    void aTakeoverOfItsOwnThatTheServerRanLateStopsAGatewayForAMomentOnly() throws Exception {
        Gateway one = fixture.start("one");
        fixture.submit(one, "before");
        fixture.execute("UPDATE gateway.lane_head SET epoch = epoch + 1");
        fixture.submit(one, "after");
        scheduler.start();
        await().atMost(PATIENCE).until(() -> scheduler.taken().size() >= 2);
        assertEveryLaneIsWholeAndInOrder(scheduler.taken());
        assertThat(fixture.get(one, "/health/ready").status()).isEqualTo(200);
    }
}
