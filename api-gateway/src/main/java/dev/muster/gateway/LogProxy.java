package dev.muster.gateway;

import dev.muster.domain.Failure;
import dev.muster.domain.JobId;
import dev.muster.domain.PoolId;
import dev.muster.platform.http.FailureException;
import dev.muster.platform.http.InternalClient;
import dev.muster.platform.sql.ServiceDirectory;

import io.vertx.core.Future;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

import java.util.Iterator;

/**
 * Logs of instances, passed through from the executor that has them: nothing is kept here but what
 * the two connections hold, and either end's going away ends the other.
 */
final class LogProxy {

    private static final int BUFFER_BYTES = 64 << 10;
    private static final int RETRY_SECONDS = 2;

    private final JobViews views;
    private final ServiceDirectory directory;
    private final InternalClient client;

    LogProxy(JobViews views, ServiceDirectory directory, InternalClient client) {
        this.views = views;
        this.directory = directory;
        this.client = client;
    }

    void mount(Router router) {
        router.get("/api/v1/jobs/:job/instances/:index/logs").handler(this::handle);
    }

    private void handle(RoutingContext rc) {
        JobId job = JobEndpoints.job(rc);
        int index = index(rc);
        Query query = Query.of(rc.request(), "follow", "offset", "attempt");
        boolean follow = query.flag("follow");
        long offset = query.number("offset", 0, 0, Long.MAX_VALUE);
        long attempt = query.number("attempt", 0, 0, Integer.MAX_VALUE);
        query.check();
        views.get(job)
                .compose(row -> {
                    long wanted = attempt == 0 ? row.attempt() : attempt;
                    if (wanted == 0 || wanted > row.attempt()) {
                        throw new FailureException(
                                new Failure.NotFound(
                                        "Job " + job + " has not begun: it has no log."));
                    }
                    String path =
                            "/internal/v1/instances/%s/%d/%d/log?offset=%d&follow=%s"
                                    .formatted(job, wanted, index, offset, follow);
                    return upstream(new PoolId(row.pool()), path);
                })
                .onSuccess(upstream -> pass(upstream, rc.response()))
                .onFailure(rc::fail);
    }

    private static int index(RoutingContext rc) {
        try {
            return Integer.parseUnsignedInt(rc.pathParam("index"));
        } catch (NumberFormatException e) {
            throw new FailureException(new Failure.NotFound("There is no such instance."));
        }
    }

    private Future<HttpClientResponse> upstream(PoolId pool, String path) {
        return directory
                .find("executor", pool)
                .compose(executors ->
                        executors.isEmpty()
                                ? Future.failedFuture(noExecutor(pool))
                                : first(executors.iterator(), path));
    }

    private static FailureException noExecutor(PoolId pool) {
        return new FailureException(
                new Failure.Unavailable(
                        "No executor of the pool " + pool + " can be reached.", RETRY_SECONDS));
    }

    /** The first executor that has the log. */
    private Future<HttpClientResponse> first(
            Iterator<ServiceDirectory.Entry> executors, String path) {
        ServiceDirectory.Entry executor = executors.next();
        return client.request(HttpMethod.GET, executor.url(), path)
                .compose(HttpClientRequest::send)
                .recover(cause ->
                        Future.failedFuture(
                                new FailureException(
                                        new Failure.Unavailable(
                                                "The executor does not answer.", RETRY_SECONDS))))
                .compose(response -> {
                    if (response.statusCode() == 200) {
                        return Future.succeededFuture(response);
                    }
                    response.request().reset().onFailure(Answers::gone);
                    return executors.hasNext()
                            ? first(executors, path)
                            : Future.failedFuture(refusal(response.statusCode()));
                });
    }

    private static FailureException refusal(int status) {
        return new FailureException(
                status == 404
                        ? new Failure.NotFound("The log is not there.")
                        : new Failure.Unavailable(
                                "The executor answered with " + status + ".", RETRY_SECONDS));
    }

    private static void pass(HttpClientResponse upstream, HttpServerResponse down) {
        if (down.closed() || down.ended()) {
            upstream.request().reset().onFailure(Answers::gone);
            return;
        }
        down.setChunked(true)
                .setWriteQueueMaxSize(BUFFER_BYTES)
                .putHeader("Content-Type", "text/plain; charset=utf-8")
                .putHeader("Cache-Control", "no-store");
        down.closeHandler(_ -> upstream.request().reset().onFailure(Answers::gone));
        upstream.pipe()
                .endOnFailure(false)
                .to(down)
                // a log that breaks off must not look like one that ended
                .onFailure(_ -> down.reset().onFailure(Answers::gone));
    }
}
