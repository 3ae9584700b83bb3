package dev.muster.gateway;

import dev.muster.domain.Failure;
import dev.muster.platform.http.FailureException;
import dev.muster.platform.http.InternalClient;
import dev.muster.platform.sql.ServiceDirectory;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.DecodeException;

import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/** Asks a notifier to do something now; any of them can. */
final class NotifierCalls {

    private static final int RETRY_SECONDS = 2;
    private static final int PATIENCE_SECONDS = 330;

    private final ServiceDirectory directory;
    private final InternalClient client;

    NotifierCalls(ServiceDirectory directory, InternalClient client) {
        this.directory = directory;
        this.client = client;
    }

    /** The answer's body. Fails with what the notifier refused it for. */
    Future<Buffer> post(String path) {
        return directory
                .find("notifier")
                .compose(found ->
                        found.isEmpty()
                                ? Future.failedFuture(unavailable("No notifier runs."))
                                : ask(found.iterator(), path)
                                        .timeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                                        .recover(NotifierCalls::unreachable));
    }

    /** The first that can be connected to: one that ended is listed a while longer. */
    private Future<Buffer> ask(Iterator<ServiceDirectory.Entry> entries, String path) {
        return client.request(HttpMethod.POST, entries.next().url(), path)
                .transform(connected -> {
                    if (connected.failed()) {
                        // nothing was sent
                        return entries.hasNext()
                                ? ask(entries, path)
                                : Future.failedFuture(connected.cause());
                    }
                    return connected.result().send().compose(NotifierCalls::answer);
                });
    }

    private static Future<Buffer> answer(HttpClientResponse response) {
        return response.body()
                .map(body -> {
                    if (response.statusCode() == 200) {
                        return body;
                    }
                    throw refusal(response.statusCode(), body);
                });
    }

    private static <T> Future<T> unreachable(Throwable cause) {
        return Future.failedFuture(
                cause instanceof FailureException
                        ? cause
                        : unavailable("The notifier does not answer."));
    }

    private static FailureException unavailable(String why) {
        return new FailureException(new Failure.Unavailable(why, RETRY_SECONDS));
    }

    private static FailureException refusal(int status, Buffer body) {
        String detail;
        try {
            detail = body.toJsonObject().getString("detail", "");
        } catch (DecodeException _) {
            detail = "";
        }
        return switch (status) {
            case 404 -> new FailureException(new Failure.NotFound(detail));
            case 409 -> new FailureException(new Failure.Conflict(detail));
            case 429 -> new FailureException(new Failure.Overloaded(detail, RETRY_SECONDS));
            default -> unavailable("The notifier answered with " + status + ".");
        };
    }
}
