package dev.muster.bench;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Submissions at moments that are fixed beforehand, whatever becomes of those before; an answer's
 * time counts from the moment at which its request was due to the 202 that acknowledges it. All
 * state lives on one event loop.
 *
 * <p>As a client behind a load balancer it knows several gateways. A request that a gateway did not
 * take, because it refused the connection or closed it before any byte of an answer, goes to the
 * next one at once under the same {@code Idempotency-Key}; where every gateway did so, it failed. A
 * 429 or 503 with {@code Retry-After} is repeated after that time. Every other answer, and one that
 * breaks off, is a failure without {@code Retry-After}.
 */
final class OpenLoad implements AutoCloseable {

    /** Of a load whose times count: none waits for a connection while a gateway is away. */
    static final int CONNECTIONS = 256;

    private static final long TICK_MILLIS = 1;
    private static final long NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long ANSWER_MILLIS = 60_000;
    private static final int SHOWN = 20;

    /** What came of all requests so far. */
    static final class Seen {
        private final Set<String> acknowledged = new HashSet<>();
        private long sent;
        private long failedWithout;
        private long failedWith;
        private long retried;
        private long open;

        /** Ids of the jobs. */
        Set<String> acknowledged() {
            return acknowledged;
        }

        long sent() {
            return sent;
        }

        /** Requests that failed and were not told when to try again. */
        long failedWithout() {
            return failedWithout;
        }

        /** Requests that were told when to try again, once or more. */
        long failedWith() {
            return failedWith;
        }

        /** Requests that one gateway did not take and that went to another one. */
        long retried() {
            return retried;
        }

        /** Requests under way. */
        long open() {
            return open;
        }
    }

    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(false));
    private final HttpClient client;
    private final List<Integer> ports;
    private final String token;
    private final Buffer body = Buffer.buffer(BenchSpec.bytes());
    private final int rate;
    private final Seen seen = new Seen();
    private Histogram times = histogram();
    private long beganNanos;
    private boolean running;
    private boolean closed;

    /**
     * @param ports of the gateways
     * @param rate requests a second
     * @param connections to each gateway, at most
     */
    OpenLoad(List<Integer> ports, String token, int rate, int connections) {
        this.ports = ports;
        this.token = token;
        this.rate = rate;
        this.client =
                vertx.createHttpClient(
                        new HttpClientOptions().setTcpNoDelay(true).setKeepAlive(true),
                        new PoolOptions().setHttp1MaxSize(connections).setMaxWaitQueueSize(-1));
    }

    static Histogram histogram() {
        return new Histogram(TimeUnit.HOURS.toNanos(1), 3);
    }

    void begin() {
        resume();
        onLoop(() -> vertx.setPeriodic(TICK_MILLIS, _ -> tick()));
    }

    /** No more requests are due from now on. */
    void pause() {
        onLoop(() -> running = false);
    }

    /** They are again, the next one now. */
    void resume() {
        onLoop(() -> {
            beganNanos = System.nanoTime() - seen.sent * NANOS / rate;
            running = true;
        });
    }

    private void tick() {
        if (!running) {
            return;
        }
        long due = (System.nanoTime() - beganNanos) * rate / NANOS;
        for (; seen.sent < due; seen.sent++) {
            seen.open++;
            new Request(seen.sent, beganNanos + seen.sent * NANOS / rate, times).send();
        }
    }

    /** Times of requests that are due from now on go here. */
    void measure(Histogram into) {
        onLoop(() -> times = into);
    }

    /** No more requests are made; those under way are followed to their end. */
    Seen end(long patienceSeconds) throws InterruptedException {
        pause();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(patienceSeconds);
        while (open() > 0) {
            if (System.nanoTime() > deadline) {
                throw new BenchFailed(open() + " requests have no answer");
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return seen;
    }

    /** Requests under way. */
    long open() {
        return ask(() -> seen.open);
    }

    long sent() {
        return ask(() -> seen.sent);
    }

    long acknowledged() {
        return ask(() -> seen.acknowledged.size());
    }

    private long ask(LongSupplier figure) {
        long[] found = new long[1];
        onLoop(() -> found[0] = figure.getAsLong());
        return found[0];
    }

    private void onLoop(Runnable action) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        vertx.runOnContext(_ -> {
            action.run();
            done.complete(null);
        });
        done.join();
    }

    /** One submission until it is acknowledged or has failed. */
    private final class Request {

        private final long number;
        private final long dueNanos;
        private final Histogram into;
        private final List<String> refusals = new ArrayList<>();
        private int gateway;
        private boolean moved;
        private boolean postponed;

        Request(long number, long dueNanos, Histogram into) {
            this.number = number;
            this.dueNanos = dueNanos;
            this.into = into;
            this.gateway = (int) (number % ports.size());
        }

        void send() {
            client.request(options())
                    .compose(request -> request.send(body))
                    .onSuccess(this::answered)
                    .onFailure(this::notTaken);
        }

        private RequestOptions options() {
            return new RequestOptions()
                    .setHost("127.0.0.1")
                    .setPort(ports.get(gateway))
                    .setMethod(HttpMethod.POST)
                    .setURI("/api/v1/jobs")
                    .setIdleTimeout(ANSWER_MILLIS)
                    .putHeader("authorization", "Bearer " + token)
                    .putHeader("content-type", "application/json")
                    .putHeader("idempotency-key", "open-" + number);
        }

        private void answered(HttpClientResponse response) {
            response.body()
                    .onSuccess(text -> read(response, text))
                    .onFailure(cause -> failed("an answer broke off: " + cause.getMessage()));
        }

        private void read(HttpClientResponse response, Buffer text) {
            int status = response.statusCode();
            String after = response.getHeader("retry-after");
            if (status == 202) {
                into.recordValue(System.nanoTime() - dueNanos);
                seen.acknowledged.add(text.toJsonObject().getString("id"));
                seen.open--;
            } else if ((status == 429 || status == 503) && after != null) {
                if (!postponed) {
                    postponed = true;
                    seen.failedWith++;
                }
                refusals.clear();
                next();
                vertx.setTimer(Math.max(1, 1000 * Long.parseLong(after)), _ -> send());
            } else {
                failed(status + " " + text);
            }
        }

        private void next() {
            gateway = (gateway + 1) % ports.size();
        }

        private void notTaken(Throwable cause) {
            if (closed) {
                return;
            }
            refusals.add(ports.get(gateway) + ": " + cause.getMessage());
            if (refusals.size() == ports.size()) {
                failed("no gateway takes it: " + refusals);
                return;
            }
            if (!moved) {
                moved = true;
                seen.retried++;
            }
            next();
            send();
        }

        private void failed(String why) {
            seen.open--;
            seen.failedWithout++;
            if (seen.failedWithout <= SHOWN) {
                Progress.say("FAILED: request " + number + ": " + why);
            }
        }
    }

    @Override
    public void close() {
        pause();
        onLoop(() -> closed = true);
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
