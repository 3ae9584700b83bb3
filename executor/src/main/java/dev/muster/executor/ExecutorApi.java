package dev.muster.executor;

import dev.muster.domain.Failure;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.executor.InstanceBackend.ReadableLog;
import dev.muster.platform.http.HttpEdge;
import dev.muster.platform.http.Problems;
import dev.muster.platform.http.Replies;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * What other services ask an executor for, with the service token:
 *
 * <ul>
 *   <li>{@code GET /internal/v1/instances/{job}/{attempt}/{index}/log?offset=&follow=}: bytes of
 *       the log. The header {@code Muster-Log-Live} says whether the log may still grow; a stream
 *       that follows ends with the instance, or after a minute of silence, to be asked for again.
 *   <li>{@code GET /internal/v1/instances}: every instance with its starts and living processes.
 * </ul>
 */
final class ExecutorApi {

    static final String LIVE_HEADER = "Muster-Log-Live";

    private static final int RETRY_SECONDS = 2;

    private final InstanceBackend backend;
    private final Semaphore logReaders;
    private final Semaphore lookers = new Semaphore(1);

    /** What a request for a log means. */
    private record LogRequest(JobId job, int attempt, int index, long offset, boolean follow) {}

    ExecutorApi(InstanceBackend backend, int logReaders) {
        this.backend = backend;
        this.logReaders = new Semaphore(logReaders);
    }

    void mount(HttpEdge edge) {
        edge.router().get("/internal/v1/instances/:job/:attempt/:index/log").handler(this::log);
        edge.router().get("/internal/v1/instances").handler(this::instances);
    }

    private void log(RoutingContext rc) {
        LogRequest request = parse(rc);
        if (request == null) {
            Problems.answer(rc, new Failure.NotFound("There is no such instance."));
        } else if (!logReaders.tryAcquire()) {
            Problems.answer(
                    rc, new Failure.Overloaded("Too many logs are being read.", RETRY_SECONDS));
        } else {
            Thread.ofVirtual()
                    .name("log-" + request.job)
                    .start(() -> {
                        try {
                            send(rc, request);
                        } finally {
                            logReaders.release();
                        }
                    });
        }
    }

    private void send(RoutingContext rc, LogRequest request) {
        try {
            Optional<ReadableLog> found = find(request);
            if (found.isEmpty()) {
                Problems.answer(rc, new Failure.NotFound("The instance has no log here."));
                return;
            }
            rc.response()
                    .setChunked(true)
                    .putHeader("Content-Type", "text/plain; charset=utf-8")
                    .putHeader(LIVE_HEADER, Boolean.toString(found.get().live()));
            new LogStream(
                            rc.response(),
                            found.get().log(),
                            () -> find(request).filter(ReadableLog::live).isPresent())
                    .send(request.offset, request.follow);
        } catch (IOException e) {
            rc.fail(e);
        }
    }

    private Optional<ReadableLog> find(LogRequest request) throws IOException {
        return backend.log(request.job, request.attempt, request.index);
    }

    private static @Nullable LogRequest parse(RoutingContext rc) {
        try {
            List<String> offset = rc.queryParam("offset");
            LogRequest request =
                    new LogRequest(
                            JobId.parse(rc.pathParam("job")),
                            Integer.parseInt(rc.pathParam("attempt")),
                            Integer.parseInt(rc.pathParam("index")),
                            offset.isEmpty() ? 0 : Long.parseLong(offset.getFirst()),
                            rc.queryParam("follow").contains("true"));
            return request.attempt < 1 || request.index < 0 || request.offset < 0 ? null : request;
        } catch (IllegalArgumentException e) {
            return null; // only services ask here: what they get wrong does not exist
        }
    }

    private void instances(RoutingContext rc) {
        if (!lookers.tryAcquire()) {
            Problems.answer(
                    rc, new Failure.Overloaded("Another look is under way.", RETRY_SECONDS));
            return;
        }
        Thread.ofVirtual()
                .name("instances")
                .start(() -> {
                    try {
                        JsonArray all = new JsonArray();
                        backend.instances().forEach(each -> all.add(json(each)));
                        JsonObject body = new JsonObject().put("instances", all);
                        Replies.json(rc.response(), 200, body);
                    } catch (IOException e) {
                        rc.fail(e);
                    } finally {
                        lookers.release();
                    }
                });
    }

    private static JsonObject json(InstanceRecord record) {
        InstanceRef instance = record.instance();
        JsonArray starts = new JsonArray();
        record.processStarts()
                .forEach(each ->
                        starts.add(
                                new JsonObject()
                                        .put("number", each.number())
                                        .put("starts", each.starts())));
        return new JsonObject()
                .put("job", instance.job().toString())
                .put("attempt", instance.attempt())
                .put("index", instance.index())
                .put("incarnation", instance.incarnation())
                .put("ended", record.ended())
                .put("processStarts", starts)
                .put("pids", new JsonArray(record.living()));
    }
}
