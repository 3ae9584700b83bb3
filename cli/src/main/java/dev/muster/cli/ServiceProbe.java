package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Asks the services of the directory for their health and metrics. */
final class ServiceProbe implements AutoCloseable {

    private static final String DIAGNOSTICS = "/internal/v1/diagnostics/";
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /**
     * A service as the directory has it.
     *
     * @param live whether it has shown itself within the last seconds
     * @param silentMillis since when it has not, by PostgreSQL's clock
     */
    record Entry(String id, String role, String url, boolean live, long silentMillis) {}

    private final HttpClient http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(PATIENCE)
                    .build();
    private final OpenDirectory open;

    ServiceProbe(OpenDirectory open) {
        this.open = open;
    }

    List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        open.rows(
                        """
                        SELECT id, role, url, live,
                            (extract(epoch FROM clock_timestamp() - beat_at) * 1000)::bigint AS silent
                        FROM platform.pub_service ORDER BY id\
                        """)
                .forEach(row ->
                        entries.add(
                                new Entry(
                                        row.getString("id"),
                                        row.getString("role"),
                                        row.getString("url"),
                                        row.getBoolean("live"),
                                        row.getLong("silent"))));
        return entries;
    }

    /** What a service says of its own parts; empty if all is well. */
    Optional<String> illness(Entry service) {
        try {
            HttpResponse<String> answer = ask(service, "/health/ready");
            if (answer.statusCode() == 200) {
                return Optional.empty();
            }
            JsonNode body = Documents.tryJson(answer.body());
            List<String> problems = new ArrayList<>();
            for (JsonNode part : body.path("parts")) {
                if (!part.path("well").asBoolean()) {
                    problems.add(part.path("part").asText() + ": " + part.path("problem").asText());
                }
            }
            return Optional.of(
                    problems.isEmpty()
                            ? "answers with " + answer.statusCode()
                            : String.join("; ", problems));
        } catch (IOException e) {
            return Optional.of("does not answer at " + service.url());
        }
    }

    /** All metrics of the service's process in Prometheus' text form; empty without an answer. */
    Optional<String> metrics(Entry service) {
        return text(service, "/metrics");
    }

    /** What the process tells of itself: {@code log} or {@code threads}. */
    Optional<String> diagnostics(Entry service, String what) {
        return text(service, DIAGNOSTICS + what);
    }

    private Optional<String> text(Entry service, String path) {
        try {
            return Optional.of(ask(service, path))
                    .filter(answer -> answer.statusCode() == 200)
                    .map(HttpResponse::body);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The greatest value of a metric among series with a label's value. */
    static Optional<Double> metric(String metrics, String name, String label) {
        return metrics.lines()
                .filter(line -> line.startsWith(name + "{") && line.contains(label))
                .map(line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)))
                .collect(Collectors.maxBy(Double::compare));
    }

    private HttpResponse<String> ask(Entry service, String path) throws IOException {
        Settings settings = open.settings();
        String token =
                service.role().equals("gateway") && !path.startsWith(DIAGNOSTICS)
                        ? settings.get(PlatformSettings.API_TOKEN)
                        : settings.get(PlatformSettings.SERVICE_TOKEN);
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(service.url() + path))
                        .header("authorization", "Bearer " + token)
                        .timeout(PATIENCE)
                        .build();
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitCodes.FAILED, "interrupted");
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
        http.close();
    }
}
