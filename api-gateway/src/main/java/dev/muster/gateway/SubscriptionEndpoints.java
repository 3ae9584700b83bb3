package dev.muster.gateway;

import dev.muster.domain.Failure;
import dev.muster.domain.JobId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.Violation;
import dev.muster.platform.config.Settings;
import dev.muster.platform.http.FailureException;
import dev.muster.platform.run.ServiceContext;
import dev.muster.platform.secret.SecretBox;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Webhook subscriptions of projects and of jobs. A secret is shown once, when it is made. */
final class SubscriptionEndpoints {

    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionEndpoints.class);

    /** How Standard Webhooks shows a secret. */
    private static final String SECRET_PREFIX = "whsec_";

    private static final int SECRET_BYTES = 32;
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;
    private static final int DEFAULT_GRACE_SECONDS = 86_400;
    private static final int MAX_GRACE_SECONDS = 2_592_000;
    private static final long TIDY_MILLIS = 60_000;
    private static final int TIDY_ROWS = 1_000;
    private static final long KEPT_AFTER_END_MILLIS = TimeUnit.DAYS.toMillis(7);

    private final Settings settings;
    private final SubscriptionStore store;
    private final JobViews jobs;
    private final NotifierCalls notifier;
    private final Clock clock;
    private final JobIds ids;
    private final Vertx vertx;
    private final long timer;
    private final SecureRandom random = new SecureRandom();

    SubscriptionEndpoints(ServiceContext service, JobViews jobs, NotifierCalls notifier) {
        this.settings = service.settings();
        this.store = new SubscriptionStore(service.database());
        this.jobs = jobs;
        this.notifier = notifier;
        this.clock = service.clock();
        this.ids = new JobIds(clock);
        this.vertx = service.vertx();
        this.timer = vertx.setPeriodic(TIDY_MILLIS, _ -> tidy());
    }

    void mount(Router router, BodyHandler bodies) {
        router.post("/api/v1/subscriptions").handler(bodies).handler(this::addToProject);
        router.get("/api/v1/subscriptions").handler(this::list);
        router.get("/api/v1/subscriptions/:id").handler(this::get);
        router.delete("/api/v1/subscriptions/:id").handler(this::remove);
        router.post("/api/v1/subscriptions/:id/rotate").handler(bodies).handler(this::rotate);
        router.post("/api/v1/subscriptions/:id/test").handler(this::test);
        router.post("/api/v1/jobs/:job/subscriptions").handler(bodies).handler(this::addToJob);
        router.get("/api/v1/jobs/:job/subscriptions").handler(this::listOfJob);
    }

    private void addToProject(RoutingContext rc) {
        SubscriptionDraft draft = SubscriptionDraft.read(rc.body().buffer(), false);
        ProjectId project = draft.project();
        if (project != null) {
            answer(rc, add(draft, project.value(), null));
        }
    }

    private void addToJob(RoutingContext rc) {
        JobId job = JobEndpoints.job(rc);
        SubscriptionDraft draft = SubscriptionDraft.read(rc.body().buffer(), true);
        answer(
                rc,
                jobs.get(job)
                        .compose(row -> {
                            if (row.state().terminal()) {
                                throw conflict(
                                        "Job %s has ended already: %s".formatted(job, row.state()));
                            }
                            return add(draft, row.json().getString("project"), job.uuid());
                        }));
    }

    private static void answer(RoutingContext rc, Future<JsonObject> made) {
        made.onSuccess(json -> Answers.json(rc, 201, json)).onFailure(rc::fail);
    }

    /** The new subscription as it is shown, with its secret. */
    private Future<JsonObject> add(SubscriptionDraft draft, String project, @Nullable UUID job) {
        UUID id = ids.next().uuid();
        byte[] secret = secret();
        int atMost =
                settings.get(
                        job == null
                                ? GatewaySettings.PROJECT_SUBSCRIPTIONS
                                : GatewaySettings.JOB_SUBSCRIPTIONS);
        SubscriptionStore.Fresh fresh =
                new SubscriptionStore.Fresh(
                        id,
                        project,
                        job,
                        draft.url(),
                        draft.types(),
                        box().seal(secret, id.toString()),
                        clock.millis());
        return store.add(fresh, atMost)
                .compose(added -> {
                    if (!added) {
                        throw conflict(
                                "There are %d subscriptions of this %s already, as many as may be."
                                        .formatted(atMost, job == null ? "project" : "job"));
                    }
                    return store.get(id);
                })
                .map(found ->
                        found.orElseThrow(() -> noSubscription(SubscriptionStore.shown(id)))
                                .put("secret", shown(secret)));
    }

    private static FailureException conflict(String why) {
        return new FailureException(new Failure.Conflict(why));
    }

    private byte[] secret() {
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        return secret;
    }

    private static String shown(byte[] secret) {
        return SECRET_PREFIX + Base64.getEncoder().encodeToString(secret);
    }

    private SecretBox box() {
        try {
            return SecretBox.of(settings);
        } catch (IllegalStateException e) {
            throw conflict("No secret can be made here: " + e.getMessage() + ".");
        }
    }

    private static FailureException noSubscription(String id) {
        return new FailureException(new Failure.NotFound("There is no subscription " + id + "."));
    }

    private static FailureException noSubscription(RoutingContext rc) {
        return noSubscription(Violation.of("", rc.pathParam("id"), "", "").value());
    }

    private static UUID id(RoutingContext rc) {
        return SubscriptionStore.parse(rc.pathParam("id")).orElseThrow(() -> noSubscription(rc));
    }

    private void list(RoutingContext rc) {
        Query query = Query.of(rc.request(), "project", "job", "limit", "after");
        ProjectId project = query.value("project", ProjectId::new, "a project's name");
        JobId job = query.value("job", JobId::parse, "a job's id");
        UUID after =
                query.value(
                        "after",
                        text ->
                                SubscriptionStore.parse(text)
                                        .orElseThrow(IllegalArgumentException::new),
                        "the next of an earlier answer");
        int limit = (int) query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
        query.check();
        store.list(
                        project == null ? null : project.value(),
                        job == null ? null : job.uuid(),
                        after,
                        limit + 1)
                .onSuccess(found -> Answers.json(rc, 200, page(found, limit)))
                .onFailure(rc::fail);
    }

    private void listOfJob(RoutingContext rc) {
        JobId job = JobEndpoints.job(rc);
        jobs.get(job)
                .compose(_ -> store.list(null, job.uuid(), null, MAX_LIMIT))
                .onSuccess(found -> Answers.json(rc, 200, page(found, MAX_LIMIT)))
                .onFailure(rc::fail);
    }

    private static JsonObject page(List<JsonObject> found, int limit) {
        JsonArray items = new JsonArray();
        found.stream().limit(limit).forEach(items::add);
        JsonObject page = new JsonObject().put("items", items);
        if (found.size() > limit) {
            page.put("next", found.get(limit - 1).getString("id"));
        }
        return page;
    }

    private void get(RoutingContext rc) {
        store.get(id(rc)).onSuccess(found -> answer(rc, found)).onFailure(rc::fail);
    }

    private static void answer(RoutingContext rc, Optional<JsonObject> found) {
        if (found.isPresent()) {
            Answers.json(rc, 200, found.get());
        } else {
            rc.fail(noSubscription(rc));
        }
    }

    private void remove(RoutingContext rc) {
        store.remove(id(rc))
                .onSuccess(gone -> {
                    if (gone) {
                        rc.response().setStatusCode(204).end().onFailure(Answers::gone);
                    } else {
                        rc.fail(noSubscription(rc));
                    }
                })
                .onFailure(rc::fail);
    }

    private void rotate(RoutingContext rc) {
        UUID id = id(rc);
        long now = clock.millis();
        long graceMillis = 1_000 * graceSeconds(rc);
        byte[] secret = secret();
        store.rotate(id, box().seal(secret, id.toString()), now, graceMillis)
                .compose(done -> done ? Future.<Void>succeededFuture() : notRotated(rc, id))
                .onSuccess(_ -> {
                    JsonObject answer =
                            new JsonObject()
                                    .put("id", SubscriptionStore.shown(id))
                                    .put("secret", shown(secret))
                                    .put("oldSecretUntil", Answers.time(now + graceMillis));
                    Answers.json(rc, 200, answer);
                })
                .onFailure(rc::fail);
    }

    private Future<Void> notRotated(RoutingContext rc, UUID id) {
        return store.get(id)
                .map(found -> {
                    JsonObject there = found.orElseThrow(() -> noSubscription(rc));
                    throw conflict(
                            ("The secret before this one signs until %s: rotate again then, or"
                                            + " now with graceSeconds 0, which ends both.")
                                    .formatted(there.getString("oldSecretUntil")));
                });
    }

    private static long graceSeconds(RoutingContext rc) {
        JsonObject body = SubscriptionDraft.object(rc.body().buffer());
        List<Violation> violations = new ArrayList<>();
        SubscriptionDraft.refuseOthers(body, Set.of("graceSeconds"), "a rotation", violations);
        Object value = body.getValue("graceSeconds", DEFAULT_GRACE_SECONDS);
        long seconds = value instanceof Integer given ? given : -1;
        if (seconds < 0 || seconds > MAX_GRACE_SECONDS) {
            violations.add(
                    Violation.of(
                            "graceSeconds",
                            value == null ? "" : value,
                            "is no number of seconds in range",
                            "0.." + MAX_GRACE_SECONDS));
        }
        if (!violations.isEmpty()) {
            throw new FailureException(new Failure.Invalid(violations));
        }
        return seconds;
    }

    private void test(RoutingContext rc) {
        UUID id = id(rc);
        notifier.post("/internal/v1/subscriptions/" + SubscriptionStore.shown(id) + "/ping")
                .onSuccess(body -> Answers.json(rc.response(), 200, body))
                .onFailure(rc::fail);
    }

    private void tidy() {
        store.tidy(clock.millis() - KEPT_AFTER_END_MILLIS, TIDY_ROWS)
                .onFailure(
                        cause -> LOG.debug("subscriptions are not tidied: {}", cause.getMessage()));
    }

    Future<Void> stop() {
        vertx.cancelTimer(timer);
        return Future.succeededFuture();
    }
}
