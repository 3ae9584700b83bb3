package dev.muster.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** What a process of services says of itself over HTTP. */
final class ServiceProcess {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private ServiceProcess() {}

    /** Heap in use, bytes. */
    static double heapBytes(String url, String token) {
        try {
            return answer(url + "/metrics", token)
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("jvm_memory_used_bytes"))
                    .filter(line -> line.contains("area=\"heap\""))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                    .sum();
        } catch (IOException e) {
            throw new BenchFailed("the metrics cannot be read: " + e.getMessage(), e);
        }
    }

    /** Whether it says that all of its parts are well. */
    static boolean ready(String url) {
        try {
            return answer(url + "/health/ready", "").statusCode() == 200;
        } catch (IOException _) {
            return false;
        }
    }

    private static HttpResponse<String> answer(String url, String token) throws IOException {
        try {
            return HTTP.send(
                    HttpRequest.newBuilder(URI.create(url))
                            .timeout(PATIENCE)
                            .header("authorization", "Bearer " + token)
                            .build(),
                    BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailed("interrupted", e);
        }
    }
}
