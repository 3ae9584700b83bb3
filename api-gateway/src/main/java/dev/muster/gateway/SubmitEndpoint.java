package dev.muster.gateway;

import dev.muster.domain.Command;
import dev.muster.domain.Failure;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;
import dev.muster.domain.Limit;
import dev.muster.domain.Limits;
import dev.muster.domain.PoolId;
import dev.muster.domain.Violation;
import dev.muster.platform.codec.JobSpecJson;
import dev.muster.platform.config.Settings;
import dev.muster.platform.http.FailureException;
import dev.muster.platform.http.Problems;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * {@code POST /api/v1/jobs}, past the router: authenticates, reads a bounded body, parses it once,
 * and answers when the job is durable. The order of the checks is that of their cost.
 */
final class SubmitEndpoint {

    static final String PATH = "/api/v1/jobs";

    private static final int MAX_KEY_LENGTH = 128;
    private static final long MAX_IGNORED_BYTES = 16L << 20;
    private static final CharSequence IDEMPOTENCY_KEY =
            HttpHeaders.createOptimized("idempotency-key");

    /** Decides whether a request may be served. */
    interface Permission {
        boolean permits(HttpServerRequest request);
    }

    private final Permission permission;
    private final Lanes lanes;
    private final AcceptMeters meters;
    private final JobSpecJson json;
    private final JobIds ids;
    private final Clock clock;
    private final int maxBodyBytes;
    private final long maxHeldBytes;
    private final long timeoutNanos;
    private long heldBytes;

    SubmitEndpoint(
            Permission permission,
            Lanes lanes,
            AcceptMeters meters,
            Settings settings,
            Clock clock) {
        Limits limits = GatewaySettings.limits(settings);
        this.permission = permission;
        this.lanes = lanes;
        this.meters = meters;
        this.json = new JobSpecJson(limits);
        this.ids = new JobIds(clock);
        this.clock = clock;
        this.maxBodyBytes = limits.get(Limit.SPEC_BYTES);
        this.maxHeldBytes = settings.get(GatewaySettings.HELD_BYTES);
        this.timeoutNanos =
                TimeUnit.MILLISECONDS.toNanos(settings.get(GatewaySettings.ACCEPT_TIMEOUT_MILLIS));
    }

    /** True if the request is a submission: then it is answered from here. */
    boolean take(HttpServerRequest request) {
        if (!HttpMethod.POST.equals(request.method()) || !PATH.equals(request.path())) {
            return false;
        }
        if (!permission.permits(request)) {
            refuse(request, new Failure.Denied(false, "A valid bearer token is needed."));
            return true;
        }
        String key = request.getHeader(IDEMPOTENCY_KEY);
        if (key != null && !isKey(key)) {
            refuse(request, invalid("Idempotency-Key", key, "is no key", keyForm()));
            return true;
        }
        new Body(request, key).read();
        return true;
    }

    private static boolean isKey(String key) {
        return !key.isEmpty()
                && key.length() <= MAX_KEY_LENGTH
                && key.chars().allMatch(c -> c > ' ' && c < 127);
    }

    private static String keyForm() {
        return "1 to " + MAX_KEY_LENGTH + " printable characters";
    }

    private static Failure invalid(String path, String value, String rule, String allowed) {
        return new Failure.Invalid(List.of(Violation.of(path, value, rule, allowed)));
    }

    private void refuse(HttpServerRequest request, Failure failure) {
        refuse(request, new FailureException(failure));
    }

    private void refuse(HttpServerRequest request, Throwable cause) {
        meters.refused(cause);
        Problems.answer(request.response(), cause);
    }

    /** The bytes of one request while they come in and until it is answered. */
    private final class Body {

        private final HttpServerRequest request;
        private final @Nullable String key;
        private Buffer bytes = Buffer.buffer();
        private int held;
        private long ignored;
        private boolean gathers;
        private boolean over;

        Body(HttpServerRequest request, @Nullable String key) {
            this.request = request;
            this.key = key;
        }

        void read() {
            request.handler(this::chunk);
            request.exceptionHandler(_ -> finish());
            request.endHandler(_ -> {
                if (!over) {
                    whole();
                }
            });
        }

        private void chunk(Buffer chunk) {
            if (over) {
                // refused already: the rest is let go by, but not without end
                ignored += chunk.length();
                if (ignored > MAX_IGNORED_BYTES) {
                    request.connection().close().onFailure(Answers::gone);
                }
                return;
            }
            held += chunk.length();
            heldBytes += chunk.length();
            if (held > maxBodyBytes) {
                stop(
                        invalid(
                                JobSpecJson.BODY,
                                "more than " + maxBodyBytes + " bytes",
                                "is too large for a specification",
                                "at most " + maxBodyBytes + " bytes"));
            } else if (heldBytes > maxHeldBytes) {
                stop(new Failure.Overloaded("Too many submissions are in hand.", 1));
            } else if (held == chunk.length()) {
                bytes = chunk; // nearly always all of it
            } else {
                if (!gathers) {
                    bytes = Buffer.buffer(2 * held).appendBuffer(bytes);
                    gathers = true;
                }
                bytes.appendBuffer(chunk);
            }
        }

        private void stop(Failure failure) {
            finish();
            refuse(request, failure);
        }

        private void finish() {
            if (!over) {
                over = true;
                heldBytes -= held;
                bytes = Buffer.buffer();
            }
        }

        private void whole() {
            switch (json.parse(bytes.getBytes())) {
                case JobSpecJson.Parsed.Refused refused ->
                        stop(new Failure.Invalid(refused.violations()));
                case JobSpecJson.Parsed.Accepted accepted -> submit(accepted);
            }
        }

        private void submit(JobSpecJson.Parsed.Accepted accepted) {
            accept(accepted, key)
                    .onComplete(done -> {
                        boolean gone = over;
                        finish();
                        if (gone) {
                            return;
                        }
                        if (done.succeeded()) {
                            accepted(request.response(), done.result());
                        } else {
                            refuse(request, done.cause());
                        }
                    });
        }
    }

    private void accepted(HttpServerResponse response, LaneItem.Place place) {
        meters.accepted(place.repeated());
        String location = PATH + '/' + place.id();
        String body = "{\"id\":\"" + place.id() + "\",\"state\":\"SUBMITTED\"}";
        if (response.closed()) {
            return;
        }
        response.putHeader(HttpHeaders.LOCATION, location);
        Answers.json(response, 202, Buffer.buffer(body, StandardCharsets.UTF_8.name()));
    }

    private Future<LaneItem.Place> accept(
            JobSpecJson.Parsed.Accepted accepted, @Nullable String key) {
        JobSpec spec = accepted.spec();
        PoolId pool = spec.pool();
        LaneWriter writer = lanes.writer(pool);
        if (writer != null) {
            return take(writer, accepted, key);
        }
        return lanes.find(pool)
                .recover(cause -> Future.failedFuture(unknownPool(pool, cause)))
                .compose(found -> take(found, accepted, key));
    }

    private static Throwable unknownPool(PoolId pool, Throwable cause) {
        return cause instanceof FailureException known
                        && known.failure() instanceof Failure.NotFound
                ? new FailureException(
                        invalid("pool", pool.value(), "is no pool", "the name of a pool"))
                : cause;
    }

    private Future<LaneItem.Place> take(
            LaneWriter writer, JobSpecJson.Parsed.Accepted accepted, @Nullable String key) {
        JobSpec spec = accepted.spec();
        JobId job = ids.next();
        Promise<LaneItem.Place> promise = Promise.promise();
        writer.take(
                new LaneItem.Submission(
                        new Command.SubmitJob(
                                spec.ask(job), spec.name(), accepted.hash(), clock.millis()),
                        spec,
                        accepted.canonical(),
                        key,
                        System.nanoTime() + timeoutNanos,
                        promise));
        return promise.future();
    }
}
