package dev.muster.platform.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whole answers. A client that has gone meanwhile is no failure of ours. */
public final class Replies {

    private static final Logger LOG = LoggerFactory.getLogger(Replies.class);

    private Replies() {}

    public static void json(HttpServerResponse response, int status, JsonObject body) {
        send(response, status, "application/json", body.toBuffer());
    }

    /** Does nothing if an answer has begun. */
    public static void send(
            HttpServerResponse response, int status, String contentType, Buffer body) {
        if (response.ended() || response.headWritten() || response.closed()) {
            return;
        }
        response.setStatusCode(status)
                .putHeader("Content-Type", contentType)
                .putHeader("Content-Length", Integer.toString(body.length()))
                .end(body)
                .onFailure(cause ->
                        LOG.debug("a client did not take its answer: {}", cause.getMessage()));
    }
}
