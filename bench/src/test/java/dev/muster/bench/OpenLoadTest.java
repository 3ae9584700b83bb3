package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

class OpenLoadTest {

    private static final int RATE = 100;
    private static final int REQUESTS = 20;

    private final Vertx vertx = Vertx.vertx();
    private final Set<String> keys = ConcurrentHashMap.newKeySet();

    @AfterEach
    void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private int serve(Consumer<HttpServerRequest> handler) {
        return vertx.createHttpServer()
                .requestHandler(handler::accept)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
    }

    /** Of each key one job, as a gateway does. */
    private void accept(HttpServerRequest request) {
        String key = request.getHeader("idempotency-key");
        keys.add(key);
        answer(request, 202, "{\"id\":\"job-of-" + key + "\"}");
    }

    private static void answer(HttpServerRequest request, int status, String body) {
        request.response().setStatusCode(status).end(body).onComplete(_ -> {});
    }

    private static OpenLoad.Seen load(Integer... ports) throws InterruptedException {
        try (OpenLoad load = new OpenLoad(List.of(ports), "none", RATE, 16)) {
            load.begin();
            await().atMost(Duration.ofMinutes(1)).until(() -> load.sent() >= REQUESTS);
            return load.end(60);
        }
    }

    @Test
    void everyRequestIsAcknowledgedOnce() throws Exception {
        OpenLoad.Seen seen = load(serve(this::accept), serve(this::accept));
        assertThat(seen.acknowledged()).hasSize((int) seen.sent()).hasSize(keys.size());
        assertThat(seen.retried() + seen.failedWith() + seen.failedWithout()).isZero();
    }

    @Test
    void whatOneGatewayDoesNotTakeGoesToTheOther() throws Exception {
        int closing = serve(request -> request.connection().close().onComplete(_ -> {}));
        int absent = BenchDirectory.freePort();
        for (int bad : List.of(closing, absent)) {
            OpenLoad.Seen seen = load(bad, serve(this::accept));
            assertThat(seen.retried()).isBetween(1L, seen.sent());
            assertThat(seen.failedWithout()).isZero();
            assertThat(seen.acknowledged()).hasSize((int) seen.sent());
        }
    }

    @Test
    void whatNoGatewayTakesHasFailed() throws Exception {
        OpenLoad.Seen seen = load(BenchDirectory.freePort(), BenchDirectory.freePort());
        assertThat(seen.failedWithout()).isEqualTo(seen.sent());
    }

    @Test
    void whoIsToldToComeBackDoes() throws Exception {
        Set<String> told = ConcurrentHashMap.newKeySet();
        int port =
                serve(request -> {
                    if (told.add(request.getHeader("idempotency-key"))) {
                        request.response().putHeader("retry-after", "1");
                        answer(request, 503, "");
                    } else {
                        accept(request);
                    }
                });
        OpenLoad.Seen seen = load(port);
        assertThat(seen.failedWith()).isEqualTo(seen.sent());
        assertThat(seen.failedWithout()).isZero();
        assertThat(seen.acknowledged()).hasSize((int) seen.sent());
    }

    @Test
    void everyOtherAnswerIsAFailure() throws Exception {
        for (int status : List.of(200, 400, 429, 500, 503)) {
            OpenLoad.Seen seen = load(serve(request -> answer(request, status, "")));
            assertThat(seen.failedWithout()).as("status " + status).isEqualTo(seen.sent());
        }
    }
}
