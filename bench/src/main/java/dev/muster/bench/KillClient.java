package dev.muster.bench;

import io.vertx.core.json.JsonObject;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.function.Supplier;

/** A client of a gateway that comes and goes. */
final class KillClient implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** An answer. */
    record Answer(int status, String body) {

        boolean well() {
            return status / 100 == 2;
        }

        /** Worth another try: nobody was there to take it. */
        boolean passing() {
            return status == 429 || status >= 500;
        }

        JsonObject json() {
            return new JsonObject(body);
        }
    }

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI base;
    private final Supplier<String> token;

    /**
     * @param token is there once the first service was
     */
    KillClient(int port, Supplier<String> token) {
        this.base = URI.create("http://127.0.0.1:" + port);
        this.token = token;
    }

    /**
     * @throws IOException if there is no answer; what was asked may have happened
     */
    Answer get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    /**
     * @param key of the request, which may then be repeated; none: empty
     * @throws IOException if there is no answer; what was asked may have happened
     */
    Answer post(String path, JsonObject body, String key) throws IOException, InterruptedException {
        HttpRequest.Builder request =
                request(path)
                        .header("content-type", "application/json")
                        .POST(BodyPublishers.ofString(body.encode()));
        return send(key.isEmpty() ? request : request.header("idempotency-key", key));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(base.resolve(path))
                .timeout(PATIENCE)
                .header("authorization", "Bearer " + token.get());
    }

    private Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
        return new Answer(response.statusCode(), response.body());
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
