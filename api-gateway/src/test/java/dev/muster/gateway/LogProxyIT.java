package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.NodeId;
import dev.muster.domain.Placement;
import dev.muster.domain.ProjectId;
import dev.muster.gateway.GatewayFixture.Gateway;
import dev.muster.platform.sql.ServiceDirectory;

import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;

import org.junit.jupiter.api.Test;

import java.io.InputStream;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

class LogProxyIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final AtomicReference<String> asked = new AtomicReference<>("");
    private final AtomicBoolean ended = new AtomicBoolean();

    @Test
    void passesALogOnAsItGrowsAndStopsWhenTheClientGoesAway() throws Exception {
        try (GatewayFixture fixture = new GatewayFixture();
                TestScheduler scheduler = fixture.scheduler()) {
            Gateway gateway = fixture.start("one");
            scheduler.start();
            String job = fixture.submit(gateway, "logged");
            assertThat(fixture.get(gateway, path(job)).status()).isEqualTo(404);
            grant(scheduler, JobId.parse(job));
            await().atMost(PATIENCE)
                    .until(() ->
                            fixture.get(gateway, "/api/v1/jobs/" + job).json().getInteger("attempt")
                                    == 3);
            assertThat(fixture.get(gateway, path(job)).status()).as("no executor").isEqualTo(503);
            executor(gateway);
            HttpResponse<InputStream> log =
                    fixture.client()
                            .send(
                                    GatewayFixture.request(
                                                    gateway, path(job) + "?follow=true&offset=7")
                                            .GET()
                                            .build(),
                                    HttpResponse.BodyHandlers.ofInputStream());
            assertThat(log.statusCode()).isEqualTo(200);
            try (InputStream body = log.body()) {
                assertThat(new String(body.readNBytes(12), UTF_8)).isEqualTo("line\nline\nli");
            }
            assertThat(asked.get())
                    .isEqualTo("/internal/v1/instances/" + job + "/3/1/log?offset=7&follow=true");
            await().atMost(PATIENCE).untilTrue(ended);
        }
    }

    private static String path(String job) {
        return "/api/v1/jobs/" + job + "/instances/1/logs";
    }

    private static void grant(TestScheduler scheduler, JobId job) throws Exception {
        scheduler.append(
                List.of(
                        new Event.GangGranted(
                                job,
                                new ProjectId("default"),
                                3,
                                List.of(new Placement(0, new NodeId("n"), List.of())))));
    }

    /** A server in an executor's place. */
    private void executor(Gateway gateway) throws Exception {
        HttpServer server =
                gateway.runner()
                        .context()
                        .vertx()
                        .createHttpServer()
                        .requestHandler(this::log)
                        .listen(0, "127.0.0.1")
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS);
        gateway.runner()
                .context()
                .directory()
                .register(
                        new ServiceDirectory.Entry(
                                "executor/test",
                                "executor",
                                List.of(),
                                "http://127.0.0.1:" + server.actualPort()))
                .toCompletionStage()
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
    }

    private void log(HttpServerRequest request) {
        asked.set(request.uri());
        request.response().setChunked(true).closeHandler(_ -> ended.set(true));
        request.response().write("line\n").onFailure(Answers::gone);
        request.response().write("line\n").onFailure(Answers::gone);
        request.response().write("line\n").onFailure(Answers::gone);
    }
}
