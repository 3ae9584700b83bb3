package dev.muster.bench;

import dev.muster.bench.KillClient.Answer;
import dev.muster.bench.KillJobs.Job;
import dev.muster.bench.KillJobs.Kind;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Submissions at a steady rate, whoever is dead at the moment. Each has a key and is repeated until
 * it is acknowledged, so that every job has an id that is known. Jobs that have no end are stopped,
 * deliveries that are dead are tried again.
 */
final class KillLoad implements AutoCloseable {

    private static final long AGAIN_MILLIS = 200;
    private static final long CARE_MILLIS = 1000;
    private static final long LOOK_MILLIS = 20;
    private static final int MAX_UNDER_WAY = 500;
    private static final int REPEATED_OF = 20;
    private static final long RECOVERY_SECONDS = 300;
    private static final Set<String> ENDS = Set.of("SUCCEEDED", "FAILED", "STOPPED");

    private final KillClient client;
    private final KillJobs jobs;
    private final double perSecond;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Job> acknowledged = new ConcurrentHashMap<>();
    private final Set<String> endless = ConcurrentHashMap.newKeySet();
    private final List<String> wrong = new CopyOnWriteArrayList<>();
    private final AtomicLong underWay = new AtomicLong();
    private volatile boolean paused = true;

    KillLoad(KillClient client, KillJobs jobs, double perSecond) {
        this.client = client;
        this.jobs = jobs;
        this.perSecond = perSecond;
    }

    /** Waits until there is somebody to subscribe with, then submits. */
    void begin(List<JsonObject> subscriptions) throws InterruptedException {
        for (JsonObject each : subscriptions) {
            Answer answer = until("/api/v1/subscriptions", each, "");
            if (!answer.well()) {
                throw new BenchFailed("no subscription is taken: " + answer.body());
            }
        }
        paused = false;
        threads.execute(() -> whileOpen(this::pace));
        threads.execute(() -> whileOpen(this::care));
    }

    private interface Step {
        void run() throws InterruptedException;
    }

    private static void whileOpen(Step step) {
        try {
            while (true) {
                step.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void pace() throws InterruptedException {
        TimeUnit.MICROSECONDS.sleep(Math.round(1e6 / perSecond));
        if (!paused && underWay.get() < MAX_UNDER_WAY) {
            submit(jobs.any());
        }
    }

    void pause() {
        paused = true;
    }

    void resume() {
        paused = false;
    }

    /** Submits one of each kind, so that every step is taken soon. */
    void oneOfEach() {
        for (Kind each : Kind.values()) {
            submit(jobs.of(each));
        }
    }

    private void submit(Job job) {
        underWay.incrementAndGet();
        threads.execute(() -> {
            try {
                submitted(job);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (BenchFailed e) {
                wrong.add(String.valueOf(e.getMessage()));
            } finally {
                underWay.decrementAndGet();
            }
        });
    }

    /** Returns its id. */
    private String submitted(Job job) throws InterruptedException {
        String id = acknowledge(job);
        // a client whose connection broke after the answer was sent would do this
        if (job.key().hashCode() % REPEATED_OF == 0) {
            String again = acknowledge(job);
            if (!again.equals(id)) {
                wrong.add("key " + job.key() + " was given the jobs " + id + " and " + again);
            }
        }
        return id;
    }

    private String acknowledge(Job job) throws InterruptedException {
        Answer answer = until("/api/v1/jobs", job.spec(), job.key());
        if (!answer.well()) {
            throw new BenchFailed("a job is refused: " + answer.body());
        }
        String id = answer.json().getString("id");
        acknowledged.put(id, job);
        if (job.kind() == Kind.ENDLESS) {
            endless.add(id);
        }
        return id;
    }

    /** Repeats a request until somebody answers it. */
    private Answer until(String path, JsonObject body, String key) throws InterruptedException {
        while (true) {
            try {
                Answer answer = client.post(path, body, key);
                if (!answer.passing() && answer.status() != 401) {
                    return answer;
                }
            } catch (IOException _) {
                // nobody is there
            }
            TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
        }
    }

    private void care() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(CARE_MILLIS);
        try {
            for (String each : List.copyOf(endless)) {
                if (ENDS.contains(state(each))) {
                    endless.remove(each);
                } else {
                    client.post("/api/v1/jobs/" + each + "/stop", new JsonObject(), "");
                }
            }
            retryDead();
        } catch (IOException _) {
            // later
        }
    }

    private void retryDead() throws IOException, InterruptedException {
        Answer dead =
                client.get("/api/v1/deliveries?state=dead&limit=100&project=" + KillJobs.PROJECT);
        if (!dead.well()) {
            return;
        }
        JsonArray items = dead.json().getJsonArray("items");
        for (int i = 0; i < items.size(); i++) {
            String id = items.getJsonObject(i).getString("id");
            client.post("/api/v1/deliveries/" + id + "/retry", new JsonObject(), "");
        }
    }

    /** State of a job; empty while nobody answers. */
    private String state(String id) throws IOException, InterruptedException {
        Answer answer = client.get("/api/v1/jobs/" + id);
        return answer.well() ? answer.json().getString("state") : "";
    }

    /**
     * Submits a job and follows it to its end.
     *
     * @return milliseconds since that moment
     */
    long recovered(long sinceNanos) throws InterruptedException {
        String id = submitted(jobs.of(Kind.PLAIN));
        long deadline = sinceNanos + TimeUnit.SECONDS.toNanos(RECOVERY_SECONDS);
        while (System.nanoTime() < deadline) {
            try {
                if (ENDS.contains(state(id))) {
                    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
                }
            } catch (IOException _) {
                // nobody is there
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        throw new BenchFailed("job " + id + " has not ended within " + RECOVERY_SECONDS + " s");
    }

    /** Ends the load and waits until every submission is acknowledged. */
    void finish() throws InterruptedException {
        pause();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(RECOVERY_SECONDS);
        while (underWay.get() > 0) {
            if (System.nanoTime() > deadline) {
                throw new BenchFailed(underWay.get() + " submissions have no answer");
            }
            TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
        }
    }

    /** Every job that was acknowledged so far, by its id. */
    Map<String, Job> acknowledged() {
        return Map.copyOf(acknowledged);
    }

    int count() {
        return acknowledged.size();
    }

    List<String> wrong() {
        return new ArrayList<>(wrong);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
