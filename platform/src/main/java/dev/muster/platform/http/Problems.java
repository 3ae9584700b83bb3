package dev.muster.platform.http;

import dev.muster.domain.Failure;
import dev.muster.domain.Violation;
import dev.muster.platform.sql.StatementFailed;

import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place where a failure becomes an answer: {@code application/problem+json} (RFC 9457) with
 * status, title, detail, all violations and {@code Retry-After}.
 */
public final class Problems {

    private static final Logger LOG = LoggerFactory.getLogger(Problems.class);
    private static final int STORAGE_RETRY_SECONDS = 5;

    private Problems() {}

    /** Answers with the failure; does nothing if an answer has begun. */
    public static void answer(HttpServerResponse response, Failure failure) {
        if (response.ended() || response.headWritten() || response.closed()) {
            return;
        }
        int seconds = retryAfterSeconds(failure);
        if (seconds > 0) {
            response.putHeader("Retry-After", Integer.toString(seconds));
        }
        if (failure instanceof Failure.Denied(boolean known, String _) && !known) {
            response.putHeader("WWW-Authenticate", "Bearer");
        }
        write(response, status(failure), body(failure));
    }

    public static void answer(RoutingContext context, Failure failure) {
        answer(context.response(), failure);
    }

    /** For a failed future or a thrown exception: what it means, or 500 and a line in the log. */
    public static void answer(HttpServerResponse response, Throwable cause) {
        Failure failure = failureOf(cause);
        if (failure != null) {
            answer(response, failure);
            return;
        }
        LOG.error("a request failed", cause);
        if (!response.ended() && !response.headWritten() && !response.closed()) {
            write(
                    response,
                    500,
                    problem(500, "Internal error", "The request failed; the log says why."));
        }
    }

    /** Installed as the failure handler of every route. */
    static void handle(RoutingContext context) {
        Throwable cause = context.failure();
        int status = context.statusCode();
        if (cause instanceof HttpException http) {
            answerStatus(context, http.getStatusCode());
        } else if (cause == null || (status >= 400 && status < 500)) {
            answerStatus(context, status);
        } else {
            answer(context.response(), cause);
        }
    }

    private static void answerStatus(RoutingContext context, int status) {
        HttpServerResponse response = context.response();
        if (response.ended() || response.headWritten() || response.closed()) {
            return;
        }
        String what = context.request().method() + " " + shortened(context.request().path());
        switch (status) {
            case 400 ->
                    write(response, 400, problem(400, "Bad request", "The request is malformed."));
            case 404 ->
                    write(response, 404, problem(404, "Not found", "Nothing is at " + what + "."));
            case 405 ->
                    write(
                            response,
                            405,
                            problem(405, "Method not allowed", what + " is not offered."));
            case 413 ->
                    write(
                            response,
                            413,
                            problem(413, "Body too large", "The request's body is too long."));
            case 415 ->
                    write(
                            response,
                            415,
                            problem(
                                    415,
                                    "Unsupported media type",
                                    "This content type is not read."));
            default ->
                    write(response, status, problem(status, "Refused", "The request was refused."));
        }
    }

    private static String shortened(@Nullable String path) {
        String text = path == null ? "" : path.replaceAll("[^!-~]", "?");
        return text.length() > 120 ? text.substring(0, 120) + "…" : text;
    }

    /** Null for a defect of ours. */
    public static @Nullable Failure failureOf(Throwable cause) {
        if (cause instanceof FailureException known) {
            return known.failure();
        }
        if (cause instanceof StatementFailed statement && statement.transientTrouble()) {
            return new Failure.Unavailable(
                    statement.storageExhausted()
                            ? "The database cannot write: its disk is full."
                            : "The database does not answer.",
                    STORAGE_RETRY_SECONDS);
        }
        return null;
    }

    private static int status(Failure failure) {
        return switch (failure) {
            case Failure.Invalid _ -> 400;
            case Failure.NotFound _ -> 404;
            case Failure.Conflict _ -> 409;
            case Failure.Denied(boolean known, String _) -> known ? 403 : 401;
            case Failure.Overloaded _ -> 429;
            case Failure.Unavailable _ -> 503;
        };
    }

    private static String title(Failure failure) {
        return switch (failure) {
            case Failure.Invalid _ -> "Invalid";
            case Failure.NotFound _ -> "Not found";
            case Failure.Conflict _ -> "Conflict";
            case Failure.Denied(boolean known, String _) -> known ? "Forbidden" : "Unauthorized";
            case Failure.Overloaded _ -> "Too many requests";
            case Failure.Unavailable _ -> "Unavailable";
        };
    }

    private static int retryAfterSeconds(Failure failure) {
        return switch (failure) {
            case Failure.Overloaded(String _, int seconds) -> Math.max(1, seconds);
            case Failure.Unavailable(String _, int seconds) -> Math.max(1, seconds);
            case Failure.Invalid _, Failure.NotFound _, Failure.Conflict _, Failure.Denied _ -> 0;
        };
    }

    private static JsonObject body(Failure failure) {
        JsonObject body = problem(status(failure), title(failure), failure.message());
        if (failure instanceof Failure.Invalid invalid) {
            JsonArray violations = new JsonArray();
            for (Violation each : invalid.violations()) {
                violations.add(
                        new JsonObject()
                                .put("path", each.path())
                                .put("value", each.value())
                                .put("rule", each.rule())
                                .put("allowed", each.allowed()));
            }
            body.put("violations", violations);
        }
        return body;
    }

    private static JsonObject problem(int status, String title, String detail) {
        return new JsonObject()
                .put("type", "about:blank")
                .put("status", status)
                .put("title", title)
                .put("detail", detail);
    }

    private static void write(HttpServerResponse response, int status, JsonObject body) {
        Replies.send(response, status, "application/problem+json", body.toBuffer());
    }
}
