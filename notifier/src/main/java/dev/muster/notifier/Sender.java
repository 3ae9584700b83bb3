package dev.muster.notifier;

import dev.muster.platform.config.Settings;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One request: signed, to an address that was checked, bounded in time and in what is read of the
 * answer. Redirects are not followed. On one context, whose {@link #sweep} it needs.
 */
final class Sender {

    private static final Logger LOG = LoggerFactory.getLogger(Sender.class);

    /**
     * Below what common servers keep an idle connection for, so that theirs is not the first end.
     */
    private static final int KEEP_ALIVE_SECONDS = 4;

    private static final int MAX_RETRY_AFTER_SECONDS = 86_400;

    private static final CharSequence ID = HttpHeaders.createOptimized("webhook-id");
    private static final CharSequence TIMESTAMP = HttpHeaders.createOptimized("webhook-timestamp");
    private static final CharSequence SIGNATURE = HttpHeaders.createOptimized("webhook-signature");
    private static final CharSequence AGENT = HttpHeaders.createOptimized("muster-webhooks/1");
    private static final CharSequence CLOUD_EVENT =
            HttpHeaders.createOptimized("application/cloudevents+json; charset=utf-8");

    /** What is sent. */
    record Parcel(String id, byte[] body, Buffer buffer) {}

    private final Resolver resolver;
    private final HttpClientAgent client;
    private final Clock clock;
    private final long timeoutNanos;
    private final int maxResponseBytes;

    /** Those that are not over, in order of their deadlines, since all have the same time. */
    private final SequencedSet<Flight> flights = new LinkedHashSet<>();

    Sender(Vertx vertx, Settings settings, AddressGuard guard, Clock clock) {
        this.resolver = new Resolver(vertx, guard);
        this.clock = clock;
        int timeoutMillis = settings.get(NotifierSettings.TIMEOUT_MILLIS);
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        this.maxResponseBytes = settings.get(NotifierSettings.RESPONSE_BYTES);
        int perTarget = settings.get(NotifierSettings.TARGET_CONCURRENCY);
        this.client =
                vertx.createHttpClient(
                        new HttpClientOptions()
                                .setConnectTimeout(timeoutMillis)
                                .setKeepAlive(true)
                                .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                                .setPipelining(false)
                                .setTcpNoDelay(true)
                                .setTrustAll(false)
                                .setVerifyHost(true)
                                .setMaxHeaderSize(16 << 10)
                                .setMaxInitialLineLength(4 << 10),
                        new PoolOptions()
                                .setHttp1MaxSize(perTarget)
                                .setMaxWaitQueueSize(4 * perTarget)
                                .setCleanerPeriod(1_000));
    }

    /** A request under way. */
    private final class Flight {
        private final Consumer<Attempt> taker;
        private final long deadlineNanos = System.nanoTime() + timeoutNanos;
        private @Nullable HttpClientRequest request;
        private @Nullable HttpClientResponse response;
        private int bytes;
        private boolean over;

        Flight(Consumer<Attempt> taker) {
            this.taker = taker;
        }

        void end(Attempt attempt) {
            if (!over) {
                over = true;
                flights.remove(this);
                taker.accept(attempt);
            }
        }

        /** The answer's first lines are enough; of what follows nothing is kept. */
        void answered(HttpClientResponse head) {
            response = head;
            head.handler(this::read);
            head.exceptionHandler(_ -> end(verdict(head)));
            head.endHandler(_ -> end(verdict(head)));
        }

        private void read(Buffer chunk) {
            bytes += chunk.length();
            if (bytes > maxResponseBytes) {
                cut();
            }
        }

        void cut() {
            HttpClientResponse head = response;
            HttpClientRequest sent = request;
            end(head == null ? Attempt.failed("no answer in time") : verdict(head));
            if (sent != null) {
                sent.reset().onFailure(Sender::ignored);
            }
        }
    }

    private static void ignored(Throwable cause) {
        LOG.debug("a connection was cut: {}", cause.getMessage());
    }

    private static Attempt verdict(HttpClientResponse head) {
        return Attempt.answered(head.statusCode(), retryAfterMillis(head));
    }

    private static long retryAfterMillis(HttpClientResponse head) {
        String text = head.statusCode() / 100 == 2 ? null : head.getHeader(HttpHeaders.RETRY_AFTER);
        if (text == null || !text.matches("\\d{1,9}")) {
            return 0; // a date is as good as none: the backoff serves
        }
        return 1_000L * Math.min(MAX_RETRY_AFTER_SECONDS, Integer.parseInt(text));
    }

    /**
     * @param taker is told the outcome exactly once, on this context, perhaps before this returns
     */
    void send(Subscription subscription, Parcel parcel, Consumer<Attempt> taker) {
        Flight flight = new Flight(taker);
        flights.addLast(flight);
        Endpoint endpoint = subscription.endpoint();
        resolver.address(endpoint)
                .compose(address -> connected(endpoint, address))
                .onComplete(found -> {
                    if (found.failed()) {
                        flight.end(Attempt.failed(why(found.cause())));
                    } else if (flight.over) {
                        found.result().reset().onFailure(Sender::ignored);
                    } else {
                        flight.request = found.result();
                        write(subscription, parcel, flight, found.result());
                    }
                });
    }

    private Future<HttpClientRequest> connected(Endpoint endpoint, SocketAddress address) {
        // the name stays what TLS verifies and what the Host header says
        return client.request(
                new RequestOptions()
                        .setMethod(HttpMethod.POST)
                        .setServer(address)
                        .setHost(endpoint.host())
                        .setPort(endpoint.port())
                        .setSsl(endpoint.tls())
                        .setFollowRedirects(false)
                        .setURI(endpoint.path()));
    }

    private void write(
            Subscription subscription, Parcel parcel, Flight flight, HttpClientRequest request) {
        long now = clock.millis();
        request.putHeader(HttpHeaders.CONTENT_TYPE, CLOUD_EVENT)
                .putHeader(HttpHeaders.USER_AGENT, AGENT)
                .putHeader(ID, parcel.id)
                .putHeader(TIMESTAMP, Long.toString(now / 1000))
                .putHeader(SIGNATURE, subscription.signatures(parcel.id, now, parcel.body));
        request.send(parcel.buffer)
                .onComplete(answer -> {
                    if (answer.succeeded()) {
                        flight.answered(answer.result());
                    } else {
                        flight.end(Attempt.failed(why(answer.cause())));
                    }
                });
    }

    private static String why(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    /** Ends what is out of time. */
    void sweep(long nowNanos) {
        while (!flights.isEmpty()) {
            Flight first = flights.getFirst();
            if (first.deadlineNanos - nowNanos > 0) {
                return;
            }
            first.cut();
        }
    }

    Future<Void> close() {
        return client.close().eventually(resolver::close);
    }
}
