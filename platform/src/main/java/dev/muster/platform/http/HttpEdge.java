package dev.muster.platform.http;

import static dev.muster.platform.config.PlatformSettings.HTTP_HOST;
import static dev.muster.platform.config.PlatformSettings.HTTP_MAX_BODY_BYTES;
import static dev.muster.platform.config.PlatformSettings.SERVICE_TOKEN;

import dev.muster.domain.Failure;
import dev.muster.platform.observe.Diagnostics;
import dev.muster.platform.observe.Health;
import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A server as every service has it: {@code /health/live} and {@code /health/ready} open to all, a
 * bearer token on everything else, {@code /metrics}, diagnostics, request ids, bounded bodies, and
 * {@link Problems} for all that fails.
 */
public final class HttpEdge {

    private static final int DRAIN_SECONDS = 5;
    private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final ServiceContext context;
    private final BearerAuth auth;
    private final Router router;
    private @Nullable Predicate<HttpServerRequest> hotPath;
    private @Nullable HttpServer server;

    /**
     * @param token that every request but those for health must bear
     */
    public HttpEdge(ServiceContext context, String token) {
        this.context = context;
        this.auth = new BearerAuth(token);
        this.router = Router.router(context.vertx());
        router.get("/health/live").handler(HttpEdge::live);
        router.get("/health/ready").handler(this::ready);
        diagnostics();
        router.route().handler(HttpEdge::identify);
        router.route().handler(this::authenticate);
        router.get("/metrics").handler(this::metrics);
        router.route().failureHandler(Problems::handle);
        for (int status : List.of(400, 404, 405, 406, 413, 415, 500)) {
            router.errorHandler(status, Problems::handle);
        }
    }

    /** For who runs Muster, never for its users: by the services' token, on a public API too. */
    private void diagnostics() {
        String token = context.settings().get(SERVICE_TOKEN);
        if (token.isEmpty()) {
            return;
        }
        BearerAuth operator = new BearerAuth(token);
        Map<String, Supplier<String>> told =
                Map.of("log", Diagnostics::log, "threads", Diagnostics::threads);
        told.forEach((what, text) ->
                router.get("/internal/v1/diagnostics/" + what)
                        .handler(rc -> diagnose(rc, operator, text)));
    }

    private void diagnose(RoutingContext rc, BearerAuth operator, Supplier<String> text) {
        if (!operator.permits(rc.request())) {
            Problems.answer(rc, new Failure.Denied(false, "The services' token is needed."));
            return;
        }
        context.vertx()
                .executeBlocking(() -> Buffer.buffer(text.get()), false)
                .onSuccess(
                        body -> Replies.send(rc.response(), 200, "text/plain; charset=utf-8", body))
                .onFailure(rc::fail);
    }

    /** For the service's own routes; everything on it is authenticated. */
    public Router router() {
        return router;
    }

    /** Reads whole bodies up to {@code http.maxBodyBytes}; for routes that need them. */
    public BodyHandler bodies() {
        return BodyHandler.create(false).setBodyLimit(context.settings().get(HTTP_MAX_BODY_BYTES));
    }

    /**
     * A way past the router for the one path where its cost counts. It authenticates by {@link
     * #permits}.
     *
     * @param taker true when it took the request
     */
    public void hotPath(Predicate<HttpServerRequest> taker) {
        this.hotPath = taker;
    }

    public boolean permits(HttpServerRequest request) {
        return auth.permits(request);
    }

    /** Binds; completes with the port in force. Fails with one sentence when the port is taken. */
    public Future<Integer> listen(int port) {
        HttpServerOptions options =
                new HttpServerOptions()
                        .setHost(context.settings().get(HTTP_HOST))
                        .setPort(port)
                        .setMaxInitialLineLength(8192)
                        .setMaxHeaderSize(16 << 10)
                        .setIdleTimeout(120)
                        .setTcpNoDelay(true)
                        .setCompressionSupported(false);
        HttpServer created =
                context.vertx().createHttpServer(options).requestHandler(this::dispatch);
        server = created;
        return created.listen()
                .map(HttpServer::actualPort)
                .recover(cause ->
                        Future.failedFuture(
                                new IllegalStateException(
                                        "port %d of %s cannot be bound: %s"
                                                .formatted(
                                                        port,
                                                        options.getHost(),
                                                        cause.getMessage()),
                                        cause)));
    }

    /** Takes no new requests; those in hand have 5 s. */
    public Future<Void> close() {
        HttpServer last = server;
        return last == null
                ? Future.succeededFuture()
                : last.shutdown(DRAIN_SECONDS, TimeUnit.SECONDS);
    }

    private void dispatch(HttpServerRequest request) {
        Predicate<HttpServerRequest> taker = hotPath;
        try {
            if (taker == null || !taker.test(request)) {
                router.handle(request);
            }
        } catch (RuntimeException e) {
            Problems.answer(request.response(), e);
        }
    }

    private static void identify(RoutingContext rc) {
        String given = rc.request().getHeader("X-Request-Id");
        String id =
                given != null && given.matches("[A-Za-z0-9._-]{1,64}")
                        ? given
                        : UUID.randomUUID().toString();
        rc.response().putHeader("X-Request-Id", id);
        rc.next();
    }

    private void authenticate(RoutingContext rc) {
        if (auth.permits(rc.request())) {
            rc.next();
        } else {
            Problems.answer(rc, new Failure.Denied(false, "A valid bearer token is needed."));
        }
    }

    private static void live(RoutingContext rc) {
        Replies.json(rc.response(), 200, new JsonObject().put("live", true));
    }

    private void ready(RoutingContext rc) {
        context.health().statuses().onSuccess(all -> answerReady(rc, all)).onFailure(rc::fail);
    }

    private static void answerReady(RoutingContext rc, List<Health.Status> all) {
        boolean well = all.stream().allMatch(Health.Status::well);
        JsonArray parts = new JsonArray();
        for (Health.Status each : all) {
            JsonObject part = new JsonObject().put("part", each.part()).put("well", each.well());
            if (!each.well()) {
                part.put("problem", each.problem());
            }
            parts.add(part);
        }
        Replies.json(
                rc.response(),
                well ? 200 : 503,
                new JsonObject().put("ready", well).put("parts", parts));
    }

    private void metrics(RoutingContext rc) {
        // scraping walks every meter: not on the event loop
        context.vertx()
                .executeBlocking(() -> Buffer.buffer(context.meters().scrape()), false)
                .onSuccess(text -> Replies.send(rc.response(), 200, METRICS_TYPE, text))
                .onFailure(rc::fail);
    }
}
