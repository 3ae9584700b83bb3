package dev.muster.bench;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;

import org.HdrHistogram.Histogram;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Submissions over a fixed number of connections on one event loop; all state lives on that loop. A
 * closed loop sends the next when the answer to the last has come; an open one sends at a fixed
 * rate and counts from the moment at which the request was due.
 */
final class Load {

    private static final long TICK_MILLIS = 1;
    private static final long UNLIMITED = Long.MAX_VALUE;
    private static final Duration ENDS_WAIT = Duration.ofMinutes(3);

    /** Whom to ask. */
    record Target(int port, String token) {}

    private final Vertx vertx;
    private final HttpClient client;
    private final HttpClient stream;
    private final RequestOptions submit;
    private final Target target;
    private final Buffer body;
    private final int connections;
    private final int maxOpen;

    private final Map<String, Long> sentAt = new HashMap<>();
    private final Map<String, Long> startedEarly = new HashMap<>();
    private final Histogram answers = new Histogram(TimeUnit.MINUTES.toNanos(10), 3);
    private final Histogram starts = new Histogram(TimeUnit.MINUTES.toNanos(10), 3);
    private long left = UNLIMITED;
    private boolean running;
    private boolean following;
    private long inFlight;
    private long accepted;
    private long acceptedEver;
    private long refused;
    private long ended;
    private long endedEver;
    private long beganNanos;
    private long lastAnswerNanos;
    private long lastAnswerMillis;
    private long lastEndNanos;
    private long idle;

    Load(Vertx vertx, Target target, Buffer body, int connections, int maxOpen) {
        this.vertx = vertx;
        this.body = body;
        this.target = target;
        this.connections = connections;
        this.maxOpen = maxOpen;
        this.client =
                vertx.createHttpClient(
                        new HttpClientOptions().setTcpNoDelay(true).setKeepAlive(true),
                        new PoolOptions().setHttp1MaxSize(connections).setMaxWaitQueueSize(-1));
        this.stream = vertx.createHttpClient(new HttpClientOptions().setKeepAlive(true));
        this.submit =
                new RequestOptions()
                        .setHost("127.0.0.1")
                        .setPort(target.port())
                        .setMethod(HttpMethod.POST)
                        .setURI("/api/v1/jobs")
                        .putHeader("authorization", "Bearer " + target.token())
                        .putHeader("content-type", "application/json")
                        .putHeader("content-length", Integer.toString(body.length()));
    }

    /** Subscribes to the events that say that jobs start and end. */
    Future<Void> followEvents() {
        following = true;
        RequestOptions events =
                new RequestOptions()
                        .setHost("127.0.0.1")
                        .setPort(target.port())
                        .setURI("/api/v1/events?type=JobStarted,JobSucceeded,JobFailed,JobStopped")
                        .putHeader("authorization", "Bearer " + target.token());
        return stream.request(events)
                .compose(request -> request.send())
                .map(response -> {
                    if (response.statusCode() != 200) {
                        throw new BenchFailed("the event stream answers " + response.statusCode());
                    }
                    response.handler(new SseLines(this::event)::feed);
                    response.endHandler(_ -> Progress.say("the event stream ended"));
                    return null;
                });
    }

    private void event(String type, String job) {
        long now = System.nanoTime();
        if (type.endsWith("JobStarted")) {
            Long sent = sentAt.get(job);
            if (sent == null) {
                startedEarly.put(job, now);
            } else {
                starts.recordValue(now - sent);
            }
            return;
        }
        sentAt.remove(job);
        ended++;
        endedEver++;
        lastEndNanos = now;
        release();
    }

    /** Submits for so long. */
    void run(int seconds, int rate) throws InterruptedException {
        if (seconds == 0) {
            return;
        }
        CountDownLatch over = new CountDownLatch(1);
        vertx.runOnContext(_ -> {
            running = true;
            beganNanos = System.nanoTime();
            lastEndNanos = beganNanos;
            if (rate == 0) {
                for (int i = 0; i < connections; i++) {
                    next();
                }
            } else {
                pace(rate);
            }
            vertx.setTimer(
                    seconds * 1000L,
                    _ -> {
                        running = false;
                        awaitAnswers(over);
                    });
        });
        over.await();
    }

    /** Submits so many in a closed loop. */
    void runJobs(int jobs) throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        vertx.runOnContext(_ -> {
            running = true;
            left = jobs;
            beganNanos = System.nanoTime();
            lastEndNanos = beganNanos;
            for (int i = 0; i < Math.min(connections, jobs); i++) {
                next();
            }
            awaitAnswers(over);
        });
        over.await();
    }

    private void awaitAnswers(CountDownLatch over) {
        if (inFlight == 0 && (left <= 0 || left == UNLIMITED)) {
            running = false;
            over.countDown();
        } else {
            vertx.setTimer(TICK_MILLIS, _ -> awaitAnswers(over));
        }
    }

    private void pace(int rate) {
        long[] sent = {0};
        vertx.setPeriodic(
                TICK_MILLIS,
                timer -> {
                    if (!running) {
                        vertx.cancelTimer(timer);
                        return;
                    }
                    long due = (System.nanoTime() - beganNanos) * rate / 1_000_000_000L;
                    for (; sent[0] < due; sent[0]++) {
                        send(beganNanos + sent[0] * 1_000_000_000L / rate, false);
                    }
                });
    }

    /** In a closed loop: one more, unless too many jobs are open. */
    private void next() {
        if (!running) {
            return;
        }
        if (maxOpen > 0 && acceptedEver + inFlight - endedEver >= maxOpen) {
            idle++;
            return;
        }
        if (left != UNLIMITED && left-- <= 0) {
            return;
        }
        send(System.nanoTime(), true);
    }

    private void release() {
        if (idle > 0) {
            idle--;
            next();
        }
    }

    private void send(long dueNanos, boolean closed) {
        inFlight++;
        client.request(submit)
                .compose(request -> request.send(body))
                .compose(response ->
                        response.body().map(answer -> answered(response, answer, dueNanos)))
                .onComplete(done -> {
                    inFlight--;
                    if (done.failed() || !done.result()) {
                        refused++;
                    }
                    if (closed) {
                        next();
                    }
                });
    }

    private boolean answered(HttpClientResponse response, Buffer answer, long dueNanos) {
        long now = System.nanoTime();
        if (response.statusCode() != 202) {
            return false;
        }
        accepted++;
        acceptedEver++;
        lastAnswerNanos = now;
        lastAnswerMillis = System.currentTimeMillis();
        answers.recordValue(now - dueNanos);
        if (following) {
            String job = answer.toJsonObject().getString("id");
            Long started = startedEarly.remove(job);
            if (started == null) {
                sentAt.put(job, dueNanos);
            } else {
                starts.recordValue(started - dueNanos);
            }
        }
        return true;
    }

    /** What came before does not count. */
    void reset() throws InterruptedException {
        onLoop(() -> {
            answers.reset();
            starts.reset();
            accepted = 0;
            refused = 0;
            ended = 0;
        });
    }

    /** Waits until every accepted job has ended. */
    void awaitEnds() throws InterruptedException {
        long deadline = System.nanoTime() + ENDS_WAIT.toNanos();
        long[] open = {following ? 1 : 0};
        while (open[0] > 0) {
            if (System.nanoTime() > deadline) {
                throw new BenchFailed(open[0] + " jobs did not end within " + ENDS_WAIT);
            }
            CountDownLatch pause = new CountDownLatch(1);
            vertx.setTimer(20, _ -> pause.countDown());
            pause.await();
            onLoop(() -> open[0] = acceptedEver - endedEver);
        }
    }

    LoadResult result() throws InterruptedException {
        LoadResult[] result = new LoadResult[1];
        onLoop(() ->
                result[0] =
                        new LoadResult(
                                accepted,
                                refused,
                                (lastAnswerNanos - beganNanos) / 1e9,
                                lastAnswerMillis,
                                answers.getValueAtPercentile(50) / 1e6,
                                answers.getValueAtPercentile(99) / 1e6,
                                ended,
                                (lastEndNanos - beganNanos) / 1e9,
                                starts.getValueAtPercentile(50) / 1e6,
                                starts.getValueAtPercentile(99) / 1e6));
        return result[0];
    }

    private void onLoop(Runnable action) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        vertx.runOnContext(_ -> {
            action.run();
            done.countDown();
        });
        done.await();
    }
}
