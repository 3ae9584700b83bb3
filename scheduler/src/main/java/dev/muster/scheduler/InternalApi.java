package dev.muster.scheduler;

import dev.muster.core.PoolCore;
import dev.muster.domain.Failure;
import dev.muster.domain.JobState;
import dev.muster.platform.http.FailureException;
import dev.muster.platform.http.HttpEdge;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HexFormat;
import java.util.Map;

/** What other services and {@code muster verify} may ask of a scheduler. */
final class InternalApi {

    private static final Logger LOG = LoggerFactory.getLogger(InternalApi.class);

    private final Map<String, PoolLoop> pools;

    /**
     * @param pools by name; may grow
     */
    InternalApi(Map<String, PoolLoop> pools) {
        this.pools = pools;
    }

    void mount(HttpEdge edge) {
        edge.router().get("/internal/v1/pools/:pool/state").handler(this::follower);
        edge.router().get("/internal/v1/pools/:pool/leader").handler(this::leader);
    }

    private void follower(RoutingContext rc) {
        answer(rc, loop(rc).compose(loop -> loop.askFollower(InternalApi::shown)));
    }

    private void leader(RoutingContext rc) {
        answer(rc, loop(rc).compose(loop -> loop.askLeader(InternalApi::shown)));
    }

    private Future<PoolLoop> loop(RoutingContext rc) {
        PoolLoop loop = pools.get(rc.pathParam("pool"));
        return loop != null
                ? Future.succeededFuture(loop)
                : Future.failedFuture(
                        new FailureException(
                                new Failure.NotFound("This scheduler knows no such pool.")));
    }

    private static void answer(RoutingContext rc, Future<JsonObject> body) {
        // the core's thread completes it: back to the request's own context
        Context context = rc.vertx().getOrCreateContext();
        body.onComplete(result ->
                context.runOnContext(_ -> {
                    if (result.succeeded()) {
                        rc.json(result.result()).onFailure(InternalApi::gone);
                    } else {
                        rc.fail(result.cause());
                    }
                }));
    }

    private static void gone(Throwable cause) {
        LOG.debug("who asked is gone", cause);
    }

    private static JsonObject shown(PoolCore core) {
        JsonObject jobs = new JsonObject();
        for (JobState state : JobState.values()) {
            if (core.count(state) > 0) {
                jobs.put(state.name(), core.count(state));
            }
        }
        return new JsonObject()
                .put("seq", core.seq())
                .put("epoch", core.epoch())
                .put("hash", HexFormat.of().formatHex(core.stateHash()))
                .put("jobs", jobs);
    }
}
