package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.Event;
import dev.muster.domain.NodeId;
import dev.muster.domain.NodeShape;
import dev.muster.gateway.GatewayFixture.Answer;
import dev.muster.gateway.GatewayFixture.Gateway;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SubmissionIT {

    private final GatewayFixture fixture = new GatewayFixture();
    private TestScheduler scheduler;
    private Gateway gateway;

    @BeforeAll
    void start() throws Exception {
        scheduler = fixture.scheduler();
        gateway = fixture.start("one");
        scheduler.start();
    }

    @AfterAll
    void stop() throws Exception {
        fixture.close();
        scheduler.close();
    }

    @Test
    void acceptsAJobAndShowsWhatBecomesOfIt() throws Exception {
        Answer accepted = fixture.post(gateway, "/api/v1/jobs", GatewayFixture.spec("first"));
        assertThat(accepted.status()).isEqualTo(202);
        String id = accepted.json().getString("id");
        assertThat(accepted.response().headers().firstValue("Location"))
                .contains("/api/v1/jobs/" + id);
        assertThat(fixture.get(gateway, "/api/v1/jobs/" + id).json().getString("name"))
                .isEqualTo("first");
        await().atMost(Duration.ofSeconds(20))
                .until(() ->
                        fixture.get(gateway, "/api/v1/jobs/" + id)
                                .json()
                                .getString("state")
                                .equals("QUEUED"));
        JsonArray events =
                fixture.get(gateway, "/api/v1/jobs/" + id + "/events").json().getJsonArray("items");
        assertThat(events).hasSize(2);
        assertThat(events.getJsonObject(0).getString("type")).isEqualTo("dev.muster.JobSubmitted");
        assertThat(fixture.get(gateway, "/api/v1/jobs/" + id + "/spec").json().getString("queue"))
                .isEqualTo("default");
    }

    @Test
    void refusesWithAllViolationsAtOnce() throws Exception {
        Answer refused =
                fixture.post(gateway, "/api/v1/jobs", "{\"name\":\"a b\",\"instances\":0,\"x\":1}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.json().getJsonArray("violations")).hasSize(4);
        assertThat(refused.response().headers().firstValue("Content-Type"))
                .contains("application/problem+json");
        Answer unknownPool =
                fixture.post(
                        gateway,
                        "/api/v1/jobs",
                        "{\"name\":\"a\",\"command\":\"x\",\"pool\":\"nowhere\"}");
        assertThat(unknownPool.status()).isEqualTo(400);
        assertThat(unknownPool.response().body()).contains("is no pool");
        Answer huge = fixture.post(gateway, "/api/v1/jobs", "x".repeat(300_000));
        assertThat(huge.status()).isEqualTo(400);
        assertThat(huge.response().body()).contains("too large");
    }

    @Test
    void answersARepeatedKeyWithTheSameJob() throws Exception {
        String spec = GatewayFixture.spec("keyed");
        Answer first = fixture.post(gateway, "/api/v1/jobs", spec, "Idempotency-Key", "k-1");
        Answer again = fixture.post(gateway, "/api/v1/jobs", spec, "Idempotency-Key", "k-1");
        assertThat(again.status()).isEqualTo(202);
        assertThat(again.json().getString("id")).isEqualTo(first.json().getString("id"));
        Answer other =
                fixture.post(
                        gateway,
                        "/api/v1/jobs",
                        GatewayFixture.spec("another"),
                        "Idempotency-Key",
                        "k-1");
        assertThat(other.status()).isEqualTo(409);
        assertThat(fixture.query("SELECT job FROM gateway.job_view WHERE name = 'keyed'"))
                .hasSize(1);
    }

    @Test
    void makesOneJobOfManySimultaneousRequestsWithOneKey() throws Exception {
        List<String> ids =
                fixture.submitAll(gateway, 40, i -> GatewayFixture.spec("race"), i -> "k-race");
        assertThat(Set.copyOf(ids)).hasSize(1);
        assertThat(fixture.query("SELECT job FROM gateway.job_view WHERE name = 'race'"))
                .hasSize(1);
    }

    @Test
    void waitsForTheFactThatAnswersACommand() throws Exception {
        String job = fixture.submit(gateway, "to-stop");
        Answer refused =
                fixture.post(
                        gateway, "/api/v1/jobs/" + job + "/stop", "{\"reason\":\"refuse me\"}");
        assertThat(refused.status()).isEqualTo(409);
        Answer stopped = fixture.post(gateway, "/api/v1/jobs/" + job + "/stop", "");
        assertThat(stopped.status()).isEqualTo(200);
        assertThat(stopped.json().getString("state")).isEqualTo("STOPPED");
        await().atMost(Duration.ofSeconds(20))
                .until(() ->
                        fixture.post(gateway, "/api/v1/jobs/" + job + "/stop", "").status() == 409);
    }

    @Test
    void listsTheLatestFirstPageByPage() throws Exception {
        String one = fixture.submit(gateway, "page-1");
        String two = fixture.submit(gateway, "page-2");
        String three = fixture.submit(gateway, "page-3");
        JsonObject first = fixture.get(gateway, "/api/v1/jobs?name=page&limit=2").json();
        assertThat(ids(first)).containsExactly(three, two);
        JsonObject second =
                fixture.get(
                                gateway,
                                "/api/v1/jobs?name=page&limit=2&after=" + first.getString("next"))
                        .json();
        assertThat(ids(second)).containsExactly(one);
        assertThat(second.containsKey("next")).isFalse();
        Answer refused = fixture.get(gateway, "/api/v1/jobs?limit=0&stat=x&state=SLEEPING");
        assertThat(refused.json().getJsonArray("violations")).hasSize(3);
        assertThat(fixture.get(gateway, "/api/v1/jobs/nonsense").status()).isEqualTo(404);
    }

    private static List<String> ids(JsonObject page) {
        return page.getJsonArray("items").stream()
                .map(item -> ((JsonObject) item).getString("id"))
                .toList();
    }

    @Test
    void showsAndCordonsNodes() throws Exception {
        scheduler.append(
                List.of(
                        new Event.NodeDeclared(
                                new NodeId("node-1"),
                                new NodeShape(8000, 16384, "Ascend910", 8, ""),
                                true)));
        await().atMost(Duration.ofSeconds(20))
                .until(() ->
                        !fixture.get(gateway, "/api/v1/nodes")
                                .json()
                                .getJsonArray("items")
                                .isEmpty());
        assertThat(fixture.post(gateway, "/api/v1/nodes/node-1/cordon", "").status())
                .isEqualTo(200);
        await().atMost(Duration.ofSeconds(20)).until(() -> node().getBoolean("cordoned"));
        assertThat(node().getInteger("usedDevices")).isZero();
        assertThat(fixture.post(gateway, "/api/v1/nodes/node-2/cordon", "").status())
                .isEqualTo(404);
    }

    private JsonObject node() throws Exception {
        return fixture.get(gateway, "/api/v1/nodes").json().getJsonArray("items").getJsonObject(0);
    }

    @Test
    void asksForATokenEverywhereButForHealth() throws Exception {
        for (String path : List.of("/api/v1/jobs", "/api/v1/events", "/api/v1/nodes", "/metrics")) {
            assertThat(anonymously(path)).as(path).isEqualTo(401);
        }
        assertThat(anonymously("/health/live")).isEqualTo(200);
    }

    private int anonymously(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(gateway.uri(path)).GET().build();
        return fixture.client().send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }
}
