package dev.muster.gateway;

import dev.muster.domain.Command;
import dev.muster.domain.Failure;
import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.PoolId;
import dev.muster.platform.http.FailureException;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;

import java.util.List;

/** A job's incidents, and the way to take its nodes from it. */
final class RecoveryEndpoints {

    private static final int DEFAULT_LIMIT = 50;
    private static final int MAX_LIMIT = 500;

    private final JobViews views;
    private final Incidents incidents;
    private final Commands commands;

    RecoveryEndpoints(JobViews views, Incidents incidents, Commands commands) {
        this.views = views;
        this.incidents = incidents;
        this.commands = commands;
    }

    void mount(Router router, BodyHandler bodies) {
        router.get("/api/v1/jobs/:job/incidents").handler(this::list);
        router.post("/api/v1/jobs/:job/preempt").handler(bodies).handler(this::preempt);
    }

    private void list(RoutingContext rc) {
        JobId job = JobEndpoints.job(rc);
        Query query = Query.of(rc.request(), "limit", "after");
        int limit = (int) query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
        int after = (int) query.number("after", 0, 0, Integer.MAX_VALUE);
        query.check();
        views.get(job)
                .compose(_ -> incidents.of(job, after, limit + 1))
                .onSuccess(items -> Answers.json(rc, 200, page(items, limit)))
                .onFailure(rc::fail);
    }

    private static JsonObject page(List<JsonObject> incidents, int limit) {
        JsonArray items = new JsonArray();
        incidents.stream().limit(limit).forEach(items::add);
        JsonObject page = new JsonObject().put("items", items);
        if (incidents.size() > limit) {
            page.put("next", incidents.get(limit - 1).getInteger("incident").toString());
        }
        return page;
    }

    private void preempt(RoutingContext rc) {
        JobId job = JobEndpoints.job(rc);
        String reason = JobEndpoints.reason(rc);
        views.get(job)
                .compose(row -> preempt(row, reason))
                .onSuccess(outcome -> preempted(rc, job, outcome))
                .onFailure(rc::fail);
    }

    private Future<Commands.Outcome> preempt(JobViews.JobRow row, String reason) {
        if (row.state().terminal()) {
            return Future.failedFuture(
                    new FailureException(
                            new Failure.Conflict(
                                    "Job " + row.id() + " has ended already: " + row.state())));
        }
        return commands.send(
                new PoolId(row.pool()), id -> new Command.PreemptJob(id, row.id(), "api", reason));
    }

    private static void preempted(RoutingContext rc, JobId job, Commands.Outcome outcome) {
        JsonObject body =
                new JsonObject().put("id", job.toString()).put("commandId", outcome.commandId());
        if (outcome.fact().isEmpty()) {
            Answers.json(rc, 202, body);
        } else {
            Answers.json(rc, 200, body.put("state", JobState.PREEMPTED.name()));
        }
    }
}
