package dev.muster.bench;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;

/**
 * The webhooks of a project's jobs that succeeded, counted by their distinct ids at a receiver in a
 * process of its own.
 */
final class Deliveries implements AutoCloseable {

    static final String SETTING = "notifier.allowedNetworks=127.0.0.0/8";

    private static final String PROJECT = "assistant"; // of the fixed specification
    private static final long LOOK_MILLIS = 50;
    private static final long QUIET_MILLIS = 3000;
    private static final long PATIENCE_NANOS = 180_000_000_000L;

    /**
     * What arrived.
     *
     * @param seconds from the first arrival to the last
     * @param p99Millis from the event to its arrival
     */
    record Arrived(long ids, long repeats, double seconds, long p50Millis, long p99Millis) {

        double perSecond() {
            return ids / Math.max(0.001, seconds);
        }
    }

    private final ChildProcess receiver;
    private final HttpClient http = HttpClient.newHttpClient();
    private final int control;

    private Deliveries(ChildProcess receiver, int control) {
        this.receiver = receiver;
        this.control = control;
    }

    static Deliveries subscribe(MusterUnderTest muster) {
        ChildProcess receiver =
                ChildProcess.java(
                        "dev.muster.bench.Main",
                        List.of("-Xmx256m", "-XX:+UseSerialGC"),
                        List.of("bench", "notify-receivers", "--healthy", "1"));
        JsonObject ports = new JsonObject(receiver.line(line -> line.startsWith("{")));
        new MusterApi(muster)
                .post(
                        "/api/v1/subscriptions",
                        new JsonObject()
                                .put(
                                        "url",
                                        "http://127.0.0.1:%d/hook"
                                                .formatted(
                                                        ports.getJsonArray("ports").getInteger(0)))
                                .put("project", PROJECT)
                                .put("events", new JsonArray().add("JobSucceeded")));
        return new Deliveries(receiver, ports.getInteger("control"));
    }

    /** Waits until nothing arrives any more, and forgets what did. */
    void settle() {
        while (report("").getLong("quietMillis") < QUIET_MILLIS) {
            SlurmUnderTest.pause(LOOK_MILLIS);
        }
        report("?reset");
    }

    /** Waits until one for each of so many jobs has arrived. */
    Arrived await(long jobs) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        JsonObject report = report("");
        while (report.getLong("ids") < jobs) {
            if (System.nanoTime() > deadline) {
                throw new BenchFailed(
                        "%d webhooks of %d arrived".formatted(report.getLong("ids"), jobs));
            }
            SlurmUnderTest.pause(LOOK_MILLIS);
            report = report("");
        }
        return new Arrived(
                report.getLong("ids"),
                report.getLong("repeats"),
                report.getDouble("seconds"),
                report.getLong("p50"),
                report.getLong("p99"));
    }

    private JsonObject report(String query) {
        URI uri = URI.create("http://127.0.0.1:" + control + "/report" + query);
        try {
            return new JsonObject(
                    http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body());
        } catch (IOException e) {
            throw new BenchFailed("the receiver does not answer: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailed("interrupted", e);
        }
    }

    @Override
    public void close() {
        http.close();
        receiver.close();
    }
}
