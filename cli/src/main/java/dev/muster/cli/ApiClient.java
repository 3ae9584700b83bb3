package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** The gateway's REST interface as the client commands need it. */
final class ApiClient implements AutoCloseable {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);

    private final HttpClient http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(CONNECT_TIMEOUT)
                    .build();
    private final URI base;
    private final String token;

    ApiClient(URI base, String token) {
        this.base = base;
        this.token = token;
    }

    URI base() {
        return base;
    }

    /** Whether somebody serves there with this token. */
    boolean ready() {
        try {
            get("/api/v1/pools");
            return true;
        } catch (CommandFailure e) {
            return false;
        }
    }

    JsonNode get(String path) {
        return answer(request(path).timeout(ANSWER_TIMEOUT).GET().build());
    }

    JsonNode post(String path, String json) {
        return answer(
                request(path)
                        .timeout(ANSWER_TIMEOUT)
                        .header("content-type", "application/json")
                        .POST(BodyPublishers.ofString(json))
                        .build());
    }

    void delete(String path) {
        answer(request(path).timeout(ANSWER_TIMEOUT).DELETE().build());
    }

    /** An answer that may go on for long; the caller closes it. */
    InputStream stream(String path) {
        HttpResponse<InputStream> response =
                send(request(path).GET().build(), BodyHandlers.ofInputStream());
        if (response.statusCode() / 100 == 2) {
            return response.body();
        }
        try (InputStream body = response.body()) {
            throw refusal(
                    response.statusCode(), new String(body.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(base.resolve(path))
                .header("authorization", "Bearer " + token);
    }

    private JsonNode answer(HttpRequest request) {
        HttpResponse<String> response = send(request, BodyHandlers.ofString());
        if (response.statusCode() / 100 != 2) {
            throw refusal(response.statusCode(), response.body());
        }
        return Documents.json(response.body().isEmpty() ? "{}" : response.body());
    }

    private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        try {
            return http.send(request, handler);
        } catch (IOException e) {
            throw unreachable(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitCodes.FAILED, "interrupted");
        }
    }

    private CommandFailure unreachable(IOException e) {
        String why = e instanceof ConnectException ? "nothing listens there" : e.getMessage();
        return new CommandFailure(
                ExitCodes.UNAVAILABLE, "Muster cannot be reached at " + base + ": " + why);
    }

    /** The problem document's sentence and all its violations, one a line. */
    private static CommandFailure refusal(int status, String body) {
        int exitCode = status == 429 || status == 503 ? ExitCodes.UNAVAILABLE : ExitCodes.FAILED;
        JsonNode problem = Documents.tryJson(body);
        String detail = problem.path("detail").asText(problem.path("title").asText(""));
        String violations =
                StreamSupport.stream(problem.path("violations").spliterator(), false)
                        .map(ApiClient::violation)
                        .collect(Collectors.joining());
        return new CommandFailure(
                exitCode,
                (detail.isEmpty() ? "refused with status " + status : detail) + violations,
                status == 404);
    }

    private static String violation(JsonNode node) {
        String allowed = node.path("allowed").asText("");
        return "\n  "
                + node.path("path").asText()
                + " = "
                + node.path("value").asText()
                + ": "
                + node.path("rule").asText()
                + (allowed.isEmpty() ? "" : " (" + allowed + ")");
    }

    @Override
    public void close() {
        http.shutdownNow();
        http.close();
    }
}
