package dev.muster.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;

/** Answers that succeed; what fails goes to the one mapper of the platform. */
final class Answers {

    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);
    private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

    private Answers() {}

    static void json(RoutingContext rc, int status, JsonObject body) {
        json(rc.response(), status, body.toBuffer());
    }

    static void json(HttpServerResponse response, int status, Buffer body) {
        if (response.ended() || response.closed()) {
            return;
        }
        response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, JSON);
        response.end(body).onFailure(Answers::gone);
    }

    /** The client went away: its own affair. */
    static void gone(Throwable cause) {
        LOG.debug("a client went away: {}", cause.getMessage());
    }

    /** Null for no time. */
    static @Nullable String time(@Nullable Long millis) {
        return millis == null ? null : Instant.ofEpochMilli(millis).toString();
    }
}
