package dev.muster.bench;

import io.vertx.core.json.JsonObject;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Questions to a Muster that are not part of what is measured. */
final class MusterApi {

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI base;
    private final String token;

    MusterApi(MusterUnderTest muster) {
        this.base = URI.create("http://127.0.0.1:" + muster.port());
        this.token = muster.token();
    }

    JsonObject get(String path) {
        return answer(request(path).GET().build());
    }

    JsonObject post(String path, JsonObject body) {
        return answer(
                request(path)
                        .header("content-type", "application/json")
                        .POST(BodyPublishers.ofString(body.encode()))
                        .build());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(base.resolve(path))
                .header("authorization", "Bearer " + token);
    }

    private JsonObject answer(HttpRequest request) {
        try {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            if (response.statusCode() / 100 != 2) {
                throw new BenchFailed(request.uri() + " answers " + response.body());
            }
            return new JsonObject(response.body());
        } catch (IOException e) {
            throw new BenchFailed("Muster does not answer: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailed("interrupted", e);
        }
    }
}
