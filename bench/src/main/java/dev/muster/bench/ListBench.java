package dev.muster.bench;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.HdrHistogram.Histogram;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** {@code GET /api/v1/jobs} where very many jobs have ended. */
@Command(
        name = "list",
        description =
                "Pages and filters of the list of jobs where very many have ended: most of them in"
                        + " the archive, where Muster itself puts them.",
        mixinStandardHelpOptions = true)
final class ListBench implements Callable<Integer> {

    private static final int KEPT = 50_000;
    private static final long ARCHIVE_SECONDS = 900;
    private static final int PAGES_DEEP = 40;
    private static final int SEED_ROWS = 50_000;

    /** The ways to ask, by name; all but the first few go past the partition that changes. */
    private static final Map<String, List<String>> QUESTIONS =
            new TreeMap<>(
                    Map.of(
                            "first_page", List.of(""),
                            "state", List.of("&state=failed", "&state=stopped", "&state=queued"),
                            "states", List.of("&state=failed,stopped", "&state=running,failed"),
                            "project", List.of("&project=team-7", "&project=rare"),
                            "project_state",
                                    List.of(
                                            "&project=team-7&state=succeeded",
                                            "&project=rare&state=failed",
                                            "&project=team-3&state=stopped"),
                            "name", List.of("&name=train-", "&name=train-77777", "&name=none-")));

    @Option(names = "--jobs", defaultValue = "1000000", description = "that have ended")
    private int jobs;

    @Option(names = "--rounds", defaultValue = "100", description = "of all questions")
    private int rounds;

    private final Histogram all = histogram();
    private final Map<String, Histogram> kinds = new TreeMap<>();

    private static Histogram histogram() {
        return new Histogram(TimeUnit.MINUTES.toMicros(2), 3);
    }

    @Override
    public Integer call() throws InterruptedException {
        try (MusterUnderTest muster =
                MusterUnderTest.start(
                        List.of("-Xmx1g"),
                        "gateway.archive.keep=" + KEPT,
                        "gateway.archive.everyMillis=1000",
                        "executor.backend=simulated")) {
            Progress.say("writing " + jobs + " jobs that have ended");
            seed(muster.database());
            long begin = System.nanoTime();
            awaitArchive(muster, begin);
            long archived = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            MusterApi api = new MusterApi(muster);
            for (int round = 1; round <= rounds; round++) {
                round(api);
                if (round % 10 == 0) {
                    Progress.say(
                            "%d of %d: p99 %.1f ms"
                                    .formatted(
                                            round, rounds, millis(all.getValueAtPercentile(99))));
                }
            }
            System.out.println(line(muster, archived).encode());
        }
        return 0;
    }

    /** Writes rows of ended jobs as the views would have them; the oldest ended hours ago. */
    private void seed(BenchDatabase database) {
        long begin = System.currentTimeMillis() - 2L * jobs;
        for (int done = 0; done < jobs; done += SEED_ROWS) {
            String batch = rows(begin, done + 1, Math.min(jobs, done + SEED_ROWS));
            database.ask(statement -> statement.executeUpdate(batch));
        }
    }

    private static String rows(long begin, int first, int last) {
        return """
        INSERT INTO gateway.job_view (job, submitted_at_ms, started_at_ms, ended_at_ms,
            priority, instances, accelerators, attempt, pool, project, queue, name, state,
            reason_code, reason, cause, message, runs)
        SELECT (lpad(to_hex(t), 12, '0') || '7000' || '8000' || lpad(to_hex(i), 12, '0'))::uuid,
            t, t + 500, t + 5000, 5, 1 + i %% 8, 1000, 1, 'public',
            CASE WHEN i %% 10000 = 7 THEN 'rare' ELSE 'team-' || i %% 20 END, 'default',
            'train-' || i,
            CASE WHEN i %% 997 = 0 THEN 'STOPPED' WHEN i %% 50 = 0 THEN 'FAILED'
                ELSE 'SUCCEEDED' END, '', '',
            CASE WHEN i %% 50 = 0 THEN 'COMMAND' ELSE '' END,
            CASE WHEN i %% 50 = 0 THEN 'instance 0 ended with exit code 1' ELSE '' END,
            ARRAY[i::bigint * 12]
        FROM (SELECT i, %d::bigint + i AS t FROM generate_series(%d, %d) AS i) AS numbers\
        """
                .formatted(begin, first, last);
    }

    /** Ended jobs outside the archive. */
    private static long outside(BenchDatabase database) {
        return database.number(
                "SELECT count(*) FROM gateway.job_view_live WHERE ended_at_ms IS NOT NULL");
    }

    private void awaitArchive(MusterUnderTest muster, long begin) throws InterruptedException {
        long left = outside(muster.database());
        while (left > KEPT) {
            if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(ARCHIVE_SECONDS)) {
                throw new BenchFailed(left + " jobs are not archived yet");
            }
            Progress.say(left + " ended jobs outside the archive");
            Thread.sleep(2_000);
            left = outside(muster.database());
        }
    }

    private void round(MusterApi api) {
        QUESTIONS.forEach((kind, filters) -> filters.forEach(filter -> ask(api, kind, filter)));
        String after = "";
        for (int page = 0; page < PAGES_DEEP; page++) {
            String next = ask(api, "next_page", after).getString("next");
            if (next == null) {
                return;
            }
            after = "&after=" + next;
        }
    }

    private JsonObject ask(MusterApi api, String kind, String filter) {
        long begin = System.nanoTime();
        JsonObject page = api.get("/api/v1/jobs?limit=100" + filter);
        long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begin);
        JsonArray items = page.getJsonArray("items");
        if (items.isEmpty() && kind.equals("first_page")) {
            throw new BenchFailed("the list is empty");
        }
        all.recordValue(micros);
        kinds.computeIfAbsent(kind, _ -> histogram()).recordValue(micros);
        return page;
    }

    private static double millis(long micros) {
        return Math.round(micros / 10.0) / 100.0;
    }

    private JsonObject line(MusterUnderTest muster, long archivedMillis) {
        JsonObject byKind = new JsonObject();
        kinds.forEach((kind, each) -> byKind.put(kind, millis(each.getValueAtPercentile(99))));
        return new JsonObject()
                .put("bench", "list")
                .put("jobs", jobs)
                .put("p50_ms", millis(all.getValueAtPercentile(50)))
                .put("p99_ms", millis(all.getValueAtPercentile(99)))
                .put("max_ms", millis(all.getMaxValue()))
                .put("p99_ms_by_question", byKind)
                .put("requests", all.getTotalCount())
                .put("archive_s", Math.round(archivedMillis / 100.0) / 10.0)
                .put("durable", muster.durable());
    }
}
