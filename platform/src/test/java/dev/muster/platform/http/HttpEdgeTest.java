package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.muster.domain.Failure;
import dev.muster.domain.Violation;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.kafka.KafkaAccess;
import dev.muster.platform.observe.Health;
import dev.muster.platform.observe.Metrics;
import dev.muster.platform.run.ServiceContext;
import dev.muster.platform.sql.Database;
import dev.muster.platform.sql.Pools;
import dev.muster.platform.sql.ServiceDirectory;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;

class HttpEdgeTest {

    private static final String TOKEN = "0123456789abcdef0123";

    private final Vertx vertx = Vertx.vertx();
    private final Health health = new Health();
    private final HttpClient client = HttpClient.newHttpClient();
    private final HttpEdge edge = new HttpEdge(context(vertx, health), TOKEN);
    private int port;

    @BeforeEach
    void start() {
        edge.router().get("/invalid").handler(rc -> rc.fail(invalid()));
        edge.router()
                .get("/busy")
                .handler(rc -> Problems.answer(rc, new Failure.Overloaded("Full.", 7)));
        edge.router()
                .get("/defect")
                .handler(_ -> {
                    throw new IllegalStateException("secret detail");
                });
        edge.router()
                .post("/echo")
                .handler(edge.bodies())
                .handler(rc -> Replies.send(rc.response(), 200, "text/plain", rc.body().buffer()));
        edge.hotPath(request -> {
            if (!request.path().equals("/hot")) {
                return false;
            }
            throw new FailureException(new Failure.Unavailable("Later.", 3));
        });
        port = join(edge.listen(0));
    }

    @AfterEach
    void stop() {
        client.close();
        join(vertx.close());
    }

    static ServiceContext context(Vertx vertx, Health health) {
        Settings settings = Settings.defaults().with(PlatformSettings.HTTP_MAX_BODY_BYTES, 2000);
        Database database = Database.open(vertx, settings);
        return new ServiceContext(
                vertx,
                settings,
                database,
                new KafkaAccess(settings),
                new ServiceDirectory(vertx, database),
                new Pools(database, 16),
                health,
                Metrics.registry("test"),
                Clock.systemUTC(),
                _ -> {});
    }

    private static FailureException invalid() {
        return new FailureException(
                new Failure.Invalid(
                        List.of(
                                Violation.of("name", "", "is needed", ""),
                                Violation.of("priority", 9, "is too high", "1 to 3"))));
    }

    @Test
    void answersEveryViolationAtOnceAsProblemJson() throws Exception {
        HttpResponse<String> answer = get("/invalid", TOKEN);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.headers().firstValue("content-type"))
                .contains("application/problem+json");
        JsonObject body = new JsonObject(answer.body());
        assertThat(body.getString("detail")).isEqualTo("2 rules are violated");
        assertThat(body.getJsonArray("violations").getJsonObject(1))
                .isEqualTo(
                        new JsonObject()
                                .put("path", "priority")
                                .put("value", "9")
                                .put("rule", "is too high")
                                .put("allowed", "1 to 3"));
    }

    @Test
    void asksForATokenOnEverythingButHealth() throws Exception {
        assertThat(get("/health/live", null).statusCode()).isEqualTo(200);
        assertThat(get("/health/ready", null).statusCode()).isEqualTo(200);
        for (String path : List.of("/metrics", "/invalid", "/nothing")) {
            for (@Nullable String token :
                    new @Nullable String[] {null, "", "wrong", TOKEN + "x", TOKEN.substring(1)}) {
                HttpResponse<String> answer = get(path, token);
                assertThat(answer.statusCode()).as(path).isEqualTo(401);
                assertThat(answer.headers().firstValue("www-authenticate")).contains("Bearer");
            }
        }
        assertThat(get("/metrics", TOKEN).body()).contains("jvm_memory_used_bytes");
    }

    @Test
    void mapsEveryFailureAtOnePlace() throws Exception {
        HttpResponse<String> busy = get("/busy", TOKEN);
        assertThat(busy.statusCode()).isEqualTo(429);
        assertThat(busy.headers().firstValue("retry-after")).contains("7");
        HttpResponse<String> defect = get("/defect", TOKEN);
        assertThat(defect.statusCode()).isEqualTo(500);
        assertThat(defect.body()).contains("\"status\":500").doesNotContain("secret detail");
        assertThat(get("/hot", TOKEN).statusCode()).isEqualTo(503);
        assertThat(get("/nothing", TOKEN).statusCode()).isEqualTo(404);
        assertThat(get("/nothing", TOKEN).body()).contains("Nothing is at GET /nothing.");
        HttpResponse<String> method = post("/invalid", "");
        assertThat(method.statusCode()).isEqualTo(405);
        assertThat(method.headers().firstValue("content-type"))
                .contains("application/problem+json");
    }

    @Test
    void boundsBodies() throws Exception {
        assertThat(post("/echo", "x".repeat(2000)).body()).hasSize(2000);
        HttpResponse<String> answer = post("/echo", "x".repeat(2001));
        assertThat(answer.statusCode()).isEqualTo(413);
        assertThat(answer.body()).contains("\"status\":413");
    }

    @Test
    void isReadyOnlyWhenEveryPartIs() throws Exception {
        health.check("database", () -> Future.failedFuture("the database does not answer"));
        HttpResponse<String> answer = get("/health/ready", null);
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("the database does not answer");
        health.check("database", Future::succeededFuture);
        assertThat(get("/health/ready", null).statusCode()).isEqualTo(200);
    }

    @Test
    void echoesAGoodRequestIdAndMakesOneOtherwise() throws Exception {
        HttpResponse<String> echoed =
                client.send(
                        request("/busy").header("X-Request-Id", "abc-1").build(),
                        BodyHandlers.ofString());
        assertThat(echoed.headers().firstValue("x-request-id")).contains("abc-1");
        assertThat(get("/busy", TOKEN).headers().firstValue("x-request-id").orElseThrow())
                .hasSize(36);
    }

    @Test
    void saysInOneSentenceThatAPortIsTaken() {
        HttpEdge second = new HttpEdge(context(vertx, health), TOKEN);
        Future<Integer> bound = second.listen(port);
        assertThat(bound.toCompletionStage().toCompletableFuture().handle((_, e) -> e).join())
                .hasMessageContaining("port " + port + " of 127.0.0.1 cannot be bound");
    }

    @Test
    void answersWhatItHasInHandAndTakesNothingMoreWhenItCloses() throws Exception {
        CompletableFuture<Void> arrived = new CompletableFuture<>();
        Promise<Void> released = Promise.promise();
        edge.router()
                .get("/slow")
                .handler(rc -> {
                    arrived.complete(null);
                    released.future()
                            .onComplete(_ ->
                                    Replies.send(
                                            rc.response(),
                                            200,
                                            "text/plain",
                                            Buffer.buffer("done")));
                });
        CompletableFuture<HttpResponse<String>> inHand =
                client.sendAsync(request("/slow").build(), BodyHandlers.ofString());
        arrived.join();
        try (Socket idle = new Socket(InetAddress.getLoopbackAddress(), port)) {
            idle.setSoTimeout(60_000);
            idle.getOutputStream()
                    .write("GET /health/live HTTP/1.1\r\nhost: here\r\n\r\n".getBytes(UTF_8));
            assertThat(idle.getInputStream().read()).isEqualTo('H');

            Future<Void> closed = edge.close();
            released.complete();

            assertThat(inHand.join().body()).isEqualTo("done");
            // the rest of the answer, then the end
            assertThat(new String(idle.getInputStream().readAllBytes(), UTF_8)).endsWith("}");
            join(closed);
        }
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .isInstanceOf(ConnectException.class);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer " + TOKEN);
    }

    private HttpResponse<String> get(String path, @Nullable String token)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String path, String body)
            throws IOException, InterruptedException {
        return client.send(
                request(path).POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }

    private static <T> T join(Future<T> future) {
        return future.toCompletionStage().toCompletableFuture().join();
    }
}
