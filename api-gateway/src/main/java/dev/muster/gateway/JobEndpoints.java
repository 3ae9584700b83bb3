package dev.muster.gateway;

import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.Failure;
import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.Violation;
import dev.muster.platform.http.FailureException;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;

/** Jobs as users read and stop them. */
final class JobEndpoints {

    private static final int DEFAULT_LIMIT = 50;
    private static final int MAX_LIMIT = 500;
    private static final int MAX_REASON_LENGTH = 1_000;

    private final JobViews views;
    private final JobHistory history;
    private final Commands commands;

    JobEndpoints(JobViews views, JobHistory history, Commands commands) {
        this.views = views;
        this.history = history;
        this.commands = commands;
    }

    void mount(Router router, BodyHandler bodies) {
        router.get("/api/v1/jobs").handler(this::list);
        router.get("/api/v1/jobs/:job").handler(this::get);
        router.get("/api/v1/jobs/:job/spec").handler(this::spec);
        router.get("/api/v1/jobs/:job/events").handler(this::events);
        router.get("/api/v1/jobs/:job/instances").handler(this::instances);
        router.post("/api/v1/jobs/:job/stop").handler(bodies).handler(this::stop);
    }

    /**
     * @throws FailureException with {@link Failure.NotFound} for what cannot be an id
     */
    static JobId job(RoutingContext rc) {
        String text = rc.pathParam("job");
        try {
            return JobId.parse(text);
        } catch (IllegalArgumentException e) {
            String shown = Violation.of("", text, "", "").value();
            throw new FailureException(new Failure.NotFound("There is no job " + shown + "."));
        }
    }

    private void list(RoutingContext rc) {
        Query query = Query.of(rc.request(), "state", "project", "pool", "name", "limit", "after");
        JobViews.Filter filter =
                new JobViews.Filter(
                        nameOf(query.value("project", ProjectId::new, "a project's name")),
                        nameOf(query.value("pool", PoolId::new, "a pool's name")),
                        query.text("name"),
                        query.values(
                                "state",
                                text -> JobState.valueOf(text.toUpperCase(Locale.ROOT)),
                                "one of " + List.of(JobState.values())));
        JobId after = query.value("after", JobId::parse, "the next of an earlier answer");
        int limit = (int) query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
        query.check();
        views.list(filter, after, limit + 1)
                .onSuccess(jobs -> Answers.json(rc, 200, page(jobs, limit)))
                .onFailure(rc::fail);
    }

    private static @Nullable String nameOf(@Nullable Record id) {
        return id == null ? null : id.toString();
    }

    private static JsonObject page(List<JobViews.JobRow> jobs, int limit) {
        JsonArray items = new JsonArray();
        jobs.stream().limit(limit).forEach(job -> items.add(job.json()));
        JsonObject page = new JsonObject().put("items", items);
        if (jobs.size() > limit) {
            page.put("next", jobs.get(limit - 1).id().toString());
        }
        return page;
    }

    private void get(RoutingContext rc) {
        views.get(job(rc)).onSuccess(job -> Answers.json(rc, 200, job.json())).onFailure(rc::fail);
    }

    private void spec(RoutingContext rc) {
        views.spec(job(rc))
                .onSuccess(spec -> Answers.json(rc.response(), 200, spec))
                .onFailure(rc::fail);
    }

    private void events(RoutingContext rc) {
        views.get(job(rc))
                .compose(history::of)
                .onSuccess(events -> Answers.json(rc.response(), 200, items(events)))
                .onFailure(rc::fail);
    }

    private static Buffer items(List<StreamEvent> events) {
        Buffer body = Buffer.buffer("{\"items\":[");
        for (int i = 0; i < events.size(); i++) {
            body.appendString(i == 0 ? "" : ",").appendBuffer(events.get(i).json());
        }
        return body.appendString("]}");
    }

    private void instances(RoutingContext rc) {
        views.get(job(rc))
                .compose(job ->
                        history.of(job)
                                .map(events ->
                                        new JsonObject()
                                                .put("attempt", job.attempt())
                                                .put("items", JobHistory.instances(events))))
                .onSuccess(body -> Answers.json(rc, 200, body))
                .onFailure(rc::fail);
    }

    private void stop(RoutingContext rc) {
        JobId job = job(rc);
        String reason = reason(rc);
        views.get(job)
                .compose(row -> stop(row, reason))
                .onSuccess(outcome -> stopped(rc, job, outcome))
                .onFailure(rc::fail);
    }

    private Future<Commands.Outcome> stop(JobViews.JobRow row, String reason) {
        if (row.state().terminal()) {
            return Future.failedFuture(
                    new FailureException(
                            new Failure.Conflict(
                                    "Job " + row.id() + " has ended already: " + row.state())));
        }
        return commands.send(
                new PoolId(row.pool()), id -> new Command.StopJob(id, row.id(), "api", reason));
    }

    /** Why, as the body says; empty without one. */
    static String reason(RoutingContext rc) {
        Buffer body = rc.body().buffer();
        if (body == null || body.length() == 0) {
            return "";
        }
        try {
            Object reason = new JsonObject(body).getValue("reason", "");
            if (reason instanceof String text && text.length() <= MAX_REASON_LENGTH) {
                return text;
            }
            throw refused("reason", reason, "is a text of at most " + MAX_REASON_LENGTH);
        } catch (DecodeException e) {
            throw refused("body", "", "is no JSON object");
        }
    }

    private static FailureException refused(String path, Object value, String rule) {
        return new FailureException(
                new Failure.Invalid(List.of(Violation.of(path, value, rule, ""))));
    }

    private static void stopped(RoutingContext rc, JobId job, Commands.Outcome outcome) {
        JsonObject body =
                new JsonObject().put("id", job.toString()).put("commandId", outcome.commandId());
        if (outcome.fact().isEmpty()) {
            Answers.json(rc, 202, body);
        } else {
            boolean over = outcome.fact().get() instanceof Event.JobStopped;
            JobState state = over ? JobState.STOPPED : JobState.STOPPING;
            Answers.json(rc, 200, body.put("state", state.name()));
        }
    }
}
