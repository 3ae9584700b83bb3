package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.gateway.GatewayFixture.Answer;
import dev.muster.gateway.GatewayFixture.Gateway;

import io.vertx.core.json.JsonArray;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.time.Duration;

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
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().getJsonArray("violations")).hasSize(4);
        assertThat(refused.response().headers().firstValue("Content-Type"))
                .contains("application/problem+json");
        Answer unknownPool =
                fixture.post(
                        gateway,
                        "/api/v1/jobs",
                        "{\"name\":\"a\",\"command\":\"x\",\"pool\":\"nowhere\"}");
        assertThat(unknownPool.status()).isEqualTo(422);
        assertThat(unknownPool.response().body()).contains("is no pool");
        Answer huge = fixture.post(gateway, "/api/v1/jobs", "x".repeat(300_000));
        assertThat(huge.status()).isEqualTo(422);
        assertThat(huge.response().body()).contains("too large");
    }
}
