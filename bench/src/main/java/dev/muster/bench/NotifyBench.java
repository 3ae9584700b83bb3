package dev.muster.bench;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "notify",
        description =
                "Webhooks delivered a second, by distinct ids at receivers in a process of their"
                        + " own; then the delay at healthy targets beside dead ones, at half load.",
        mixinStandardHelpOptions = true)
final class NotifyBench implements Callable<Integer> {

    private static final List<String> TYPES =
            List.of("JobQueued", "GangGranted", "JobStarted", "JobSucceeded");
    private static final long PATIENCE_SECONDS = 300;
    private static final int WARM_SECONDS = 4;

    @Option(names = "--targets", defaultValue = "100", description = "each of its own port")
    private int targets;

    @Option(names = "--dead", defaultValue = "10", description = "of them, in the second part")
    private int dead;

    @Option(names = "--jobs", defaultValue = "600", description = "whose events are delivered")
    private int jobs;

    @Option(names = "--seconds", defaultValue = "30", description = "of the second part")
    private int seconds;

    private final HttpClient http = HttpClient.newHttpClient();

    @Override
    public Integer call() throws InterruptedException {
        try (MusterUnderTest muster =
                MusterUnderTest.start(
                        List.of("-Xmx2g"),
                        "executor.backend=simulated",
                        "executor.simulated.nodes=500",
                        "executor.simulated.runMillis=100",
                        "notifier.allowedNetworks=127.0.0.0/8")) {
            Full full = full(muster);
            Progress.say("%.0f deliveries/s".formatted(full.perSecond()));
            long heap = muster.heapMebibytes();
            int rate = (int) Math.max(1, full.perSecond() / 2 / TYPES.size() / targets);
            JsonObject half = half(muster, rate);
            Progress.say(
                    "%d of %d targets dead, %d deliveries/s: p50 %d ms, p99 %d ms"
                            .formatted(
                                    dead,
                                    targets,
                                    rate * TYPES.size() * targets,
                                    half.getLong("p50"),
                                    half.getLong("p99")));
            long lost = full.lost() + half.getLong("lost");
            System.out.println(
                    new JsonObject()
                            .put("bench", "notify")
                            .put("value", Math.round(full.perSecond()))
                            .put("unit", "deliveries/s")
                            .put("p50_ms", half.getLong("p50"))
                            .put("p99_ms", half.getLong("p99"))
                            .put("heap_mb", heap)
                            .put("durable", muster.durable())
                            .put("ids", full.ids())
                            .put("repeats", full.repeats() + half.getLong("repeats"))
                            .put("lost", lost)
                            .put("targets", targets)
                            .put("dead", dead)
                            .put("half_load", rate * TYPES.size() * targets)
                            .encode());
            return lost > 0 ? 1 : 0;
        }
    }

    /** Everything that some jobs lead to, from the first arrival to the last. */
    private record Full(long ids, long repeats, long lost, double seconds) {
        double perSecond() {
            return ids / Math.max(0.001, seconds);
        }
    }

    private Full full(MusterUnderTest muster) throws InterruptedException {
        try (ChildProcess receivers = receivers(targets, 0)) {
            JsonObject ports = new JsonObject(receivers.line(line -> line.startsWith("{")));
            int control = ports.getInteger("control");
            List<String> subscriptions = subscribe(muster, ports.getJsonArray("ports"));
            warm(muster, control, Math.max(10, jobs / 3), perJob());
            Progress.say("the events of %d jobs to %d targets".formatted(jobs, targets));
            long wanted = submit(muster, jobs, 3) * perJob();
            JsonObject report = awaitAll(control, wanted);
            unsubscribe(muster, subscriptions);
            return new Full(
                    report.getLong("ids"),
                    report.getLong("repeats"),
                    wanted - report.getLong("ids"),
                    report.getDouble("seconds"));
        }
    }

    private JsonObject half(MusterUnderTest muster, int rate) throws InterruptedException {
        int healthy = targets - dead;
        try (ChildProcess receivers = receivers(healthy, dead)) {
            JsonObject ports = new JsonObject(receivers.line(line -> line.startsWith("{")));
            int control = ports.getInteger("control");
            JsonArray all = ports.getJsonArray("ports").copy().addAll(ports.getJsonArray("dead"));
            List<String> subscriptions = subscribe(muster, all);
            warm(muster, control, rate * WARM_SECONDS, (long) TYPES.size() * healthy);
            Progress.say("%d jobs/s for %d s".formatted(rate, seconds));
            long wanted = submit(muster, rate * seconds, seconds) * TYPES.size() * healthy;
            JsonObject report = awaitAll(control, wanted);
            unsubscribe(muster, subscriptions);
            return report.put("lost", wanted - report.getLong("ids"));
        }
    }

    /** The receivers are new processes; what is measured is the notifier, not their first steps. */
    private void warm(MusterUnderTest muster, int control, int count, long perJob)
            throws InterruptedException {
        Progress.say("warming up");
        awaitAll(control, submit(muster, count, WARM_SECONDS) * perJob);
        ask(control, "/report?reset");
    }

    private long perJob() {
        return (long) TYPES.size() * targets;
    }

    private static ChildProcess receivers(int healthy, int dead) {
        return ChildProcess.java(
                "dev.muster.bench.Main",
                List.of("-Xmx256m", "-XX:+UseSerialGC"),
                List.of(
                        "bench",
                        "notify-receivers",
                        "--healthy",
                        Integer.toString(healthy),
                        "--dead",
                        Integer.toString(dead)));
    }

    /** Returns how many were accepted; all have ended. */
    private static long submit(MusterUnderTest muster, int count, int forSeconds) {
        int rate = Math.max(1, count / forSeconds);
        LoadResult load =
                GeneratorProcess.runBriefly(
                        muster.port(),
                        muster.token(),
                        List.of(
                                "--connections",
                                "16",
                                "--warmup",
                                "0",
                                "--seconds",
                                Integer.toString(forSeconds),
                                "--rate",
                                Integer.toString(rate),
                                "--events"));
        return load.accepted();
    }

    /** Until all has arrived, or nothing more does. */
    private JsonObject awaitAll(int control, long wanted) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000L;
        while (true) {
            JsonObject report = new JsonObject(ask(control, "/report"));
            if (report.getLong("ids") >= wanted || System.nanoTime() > deadline) {
                return report;
            }
            Thread.sleep(200);
        }
    }

    private String ask(int port, String path) {
        return send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .build(),
                        200)
                .body();
    }

    private List<String> subscribe(MusterUnderTest muster, JsonArray ports) {
        List<String> ids = new ArrayList<>();
        for (Object port : ports) {
            JsonObject body =
                    new JsonObject()
                            .put("url", "http://127.0.0.1:" + port + "/hook")
                            .put("project", "assistant")
                            .put("events", new JsonArray(TYPES));
            HttpRequest request =
                    request(muster, "/api/v1/subscriptions")
                            .POST(HttpRequest.BodyPublishers.ofString(body.encode()))
                            .build();
            ids.add(new JsonObject(send(request, 201).body()).getString("id"));
        }
        return ids;
    }

    private void unsubscribe(MusterUnderTest muster, List<String> ids) {
        for (String id : ids) {
            HttpRequest request = request(muster, "/api/v1/subscriptions/" + id).DELETE().build();
            send(request, 204);
        }
    }

    private static HttpRequest.Builder request(MusterUnderTest muster, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + muster.port() + path))
                .header("authorization", "Bearer " + muster.token());
    }

    private HttpResponse<String> send(HttpRequest request, int wanted) {
        try {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            if (response.statusCode() != wanted) {
                throw new BenchFailed(request.uri() + " answered: " + response.body());
            }
            return response;
        } catch (IOException e) {
            throw new BenchFailed(request.uri() + " does not answer: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailed("interrupted", e);
        }
    }
}
