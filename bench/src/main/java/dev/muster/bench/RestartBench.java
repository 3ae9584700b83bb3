package dev.muster.bench;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.HdrHistogram.Histogram;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * How long a restart takes. Each repeat is one training on two instances that hangs three times, so
 * that it is restarted at each tier in turn, and ends with the same parameters, to the bit, as one
 * that was never interrupted.
 */
@Command(
        name = "restart",
        description =
                "From the verdict on a hang until every command of the gang runs again, by tier.",
        mixinStandardHelpOptions = true)
final class RestartBench implements Callable<Integer> {

    private static final String HANGS = "60,120,180";
    private static final int JOB_MINUTES = 5;

    /** As the scheduler names them. */
    private enum Tier {
        PROCESS,
        CONTAINER,
        JOB
    }

    @Option(names = "--repeats", defaultValue = "20", description = "of each tier")
    private int repeats;

    private final Map<Tier, Histogram> restarts = new EnumMap<>(Tier.class);

    private Histogram times(Tier tier) {
        return restarts.computeIfAbsent(
                tier, _ -> new Histogram(TimeUnit.MINUTES.toMillis(JOB_MINUTES), 3));
    }

    @Override
    public Integer call() throws InterruptedException {
        try (MusterUnderTest muster =
                MusterUnderTest.start(List.of("-Xmx2g"), "executor.backend=local")) {
            layOut(muster.directory().resolve("store/samples/digits"));
            MusterApi api = new MusterApi(muster);
            Progress.say("a training that is never interrupted");
            String undisturbed = parameters(muster, run(api, "undisturbed", ""));
            for (int repeat = 1; repeat <= repeats; repeat++) {
                String job = run(api, "repeat-" + repeat, HANGS);
                String hash = parameters(muster, job);
                if (!hash.equals(undisturbed)) {
                    throw new BenchFailed("job " + job + " ended with other parameters: " + hash);
                }
                measure(api.get("/api/v1/jobs/" + job + "/events").getJsonArray("items"));
                Progress.say("%d of %d: %s".formatted(repeat, repeats, lastLine()));
            }
            System.out.println(line(muster).encode());
        }
        return 0;
    }

    private static void layOut(Path bucket) {
        Path home = Path.of(System.getProperty("muster.home", ".")).resolve("samples/digits");
        try {
            for (String part : List.of("code", "data")) {
                Files.createDirectories(bucket.resolve(part));
            }
            for (String name : List.of("train.py", "network.py", "ranks.py")) {
                Files.copy(home.resolve(name), bucket.resolve("code").resolve(name));
            }
            Files.copy(home.resolve("data/digits.csv.gz"), bucket.resolve("data/digits.csv.gz"));
        } catch (IOException e) {
            throw new BenchFailed("the sample cannot be laid out: " + e.getMessage(), e);
        }
    }

    private static JsonObject spec(String name, String hangs) {
        JsonArray parameters =
                new JsonArray()
                        .add(new JsonObject().put("name", "epochs").put("value", "6"))
                        .add(new JsonObject().put("name", "checkpoint_steps").put("value", "20"));
        if (!hangs.isEmpty()) {
            parameters.add(new JsonObject().put("name", "hang_at_step").put("value", hangs));
        }
        return new JsonObject()
                .put("name", name)
                .put("framework", "pytorch")
                .put("instances", 2)
                .put("resources", new JsonObject().put("cpu", 1).put("memory", "1Gi"))
                .put("codeDir", "obs://samples/digits/code")
                .put("command", "python3 ${MA_JOB_DIR}/code/train.py")
                .put("parameters", parameters)
                .put(
                        "inputs",
                        new JsonArray()
                                .add(
                                        new JsonObject()
                                                .put("name", "data_url")
                                                .put("source", "obs://samples/digits/data")))
                .put(
                        "outputs",
                        new JsonArray()
                                .add(
                                        new JsonObject()
                                                .put("name", "train_url")
                                                .put("target", "obs://samples/digits/out-" + name)
                                                .put("preDownload", true)))
                .put(
                        "recovery",
                        new JsonObject()
                                .put("autoRestart", true)
                                .put("hangRestart", true)
                                .put("hangSilenceSeconds", 2)
                                .put("startupSeconds", 0));
    }

    private static String run(MusterApi api, String name, String hangs)
            throws InterruptedException {
        String job = api.post("/api/v1/jobs", spec(name, hangs)).getString("id");
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(JOB_MINUTES);
        while (true) {
            String state = api.get("/api/v1/jobs/" + job).getString("state");
            if (state.equals("SUCCEEDED")) {
                return job;
            }
            if (List.of("FAILED", "STOPPED").contains(state) || System.nanoTime() > deadline) {
                throw new BenchFailed(
                        "job %s is %s: %s"
                                .formatted(job, state, api.get("/api/v1/jobs/" + job).encode()));
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    /** What the training says of its parameters. */
    private static String parameters(MusterUnderTest muster, String job) {
        Path store = muster.directory().resolve("store/samples/digits");
        try (Stream<Path> outputs = Files.list(store)) {
            Path newest =
                    outputs.filter(each -> each.getFileName().toString().startsWith("out-"))
                            .map(each -> each.resolve("metrics.json"))
                            .filter(Files::exists)
                            .max(java.util.Comparator.comparingLong(RestartBench::modified))
                            .orElseThrow(() -> new BenchFailed("job " + job + " left no metrics"));
            return new JsonObject(Files.readString(newest)).getString("parameters_sha256");
        } catch (IOException e) {
            throw new BenchFailed("the outputs cannot be read: " + e.getMessage(), e);
        }
    }

    private static long modified(Path file) {
        try {
            return Files.getLastModifiedTime(file).toMillis();
        } catch (IOException e) {
            return 0;
        }
    }

    private void measure(JsonArray events) {
        Map<Integer, Instant> verdicts = new HashMap<>();
        int measured = 0;
        for (int i = 0; i < events.size(); i++) {
            JsonObject event = events.getJsonObject(i);
            JsonObject data = event.getJsonObject("data");
            Instant at = Instant.parse(event.getString("time"));
            if (event.getString("type").endsWith("JobHanged")) {
                verdicts.put(data.getInteger("incident"), at);
            } else if (event.getString("type").endsWith("JobRestarted")) {
                Instant verdict = verdicts.get(data.getInteger("incident"));
                if (verdict != null) {
                    Tier tier = Tier.valueOf(data.getString("tier"));
                    times(tier).recordValue(Duration.between(verdict, at).toMillis());
                    measured++;
                }
            }
        }
        if (measured != Tier.values().length) {
            throw new BenchFailed(measured + " restarts instead of one a tier: " + events.encode());
        }
    }

    private String lastLine() {
        StringBuilder line = new StringBuilder();
        restarts.forEach((tier, times) ->
                line.append(name(tier))
                        .append(" p50 ")
                        .append(times.getValueAtPercentile(50))
                        .append(" ms  "));
        return line.toString().strip();
    }

    private static String name(Tier tier) {
        return tier.name().toLowerCase(Locale.ROOT);
    }

    private JsonObject line(MusterUnderTest muster) {
        JsonObject line =
                new JsonObject()
                        .put("bench", "restart")
                        .put("value", times(Tier.PROCESS).getValueAtPercentile(99))
                        .put("unit", "ms")
                        .put("repeats", repeats)
                        .put("durable", muster.durable());
        restarts.forEach((tier, times) ->
                line.put(name(tier) + "_ms", times.getValueAtPercentile(99))
                        .put(name(tier) + "_p50_ms", times.getValueAtPercentile(50)));
        return line.put("heap_mb", muster.heapMebibytes());
    }
}
