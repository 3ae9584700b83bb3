package dev.muster.notifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.JobId;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Webhooks from the API to a real server, on a real Kafka and PostgreSQL. */
class NotifierIT {

    /** Between probes of a target whose circuit is open for 300 ms, about. */
    private static final Duration LEAST_PAUSE = Duration.ofMillis(150);

    private Stack stack;
    private Receiver receiver;

    @BeforeEach
    void prepare() throws Exception {
        stack = new Stack();
        receiver = new Receiver();
    }

    @AfterEach
    void close() throws Exception {
        stack.close();
        receiver.close();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(20));
    }

    private static JobId job(int i) {
        return new JobId(0x1234_0000_7000L + i, Long.MIN_VALUE + i);
    }

    @Test
    void eventsArriveSignedOnceAndInTheOrderOfTheirJob() throws Exception {
        String secret = stack.subscribe(receiver.url("/hook?a=b"), "*").getString("secret");
        stack.notifier("a");
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            for (int job = 0; job < 10; job++) {
                events.addAll(TestJournal.notices(job(job), i, 1));
            }
        }
        stack.journal().append(events.subList(0, 100));
        stack.journal().append(events.subList(100, 300));
        soon().until(() -> receiver.posts().size() >= 300);
        assertThat(receiver.ids()).hasSize(300);
        assertThat(receiver.posts()).hasSize(300).allMatch(post -> post.signedWith(secret));
        assertOrder(receiver.posts());
        Receiver.Post first = receiver.posts().getFirst();
        assertThat(first.type()).startsWith("application/cloudevents+json");
        assertThat(first.json().getString("specversion")).isEqualTo("1.0");
        assertThat(first.json().getString("type")).isEqualTo("dev.muster.NoticeRecorded");
        assertThat(first.json().getJsonObject("data").getString("message")).startsWith("notice");
        soon().until(() -> stack.deliveries("&state=delivered").size() == 300);
        assertThat(stack.deliveries("&job=" + job(3))).hasSize(30);
        awaitAllGivenBack();
        assertThat(receiver.taken()).hasSize(300).doesNotHaveDuplicates();
    }

    @Test
    void deliversNothingOfRecordsThatNobodyCanBelieve() throws Exception {
        stack.subscribe(receiver.url("/hook"), "*");
        stack.notifier("a");
        for (int i = 0; i < 3; i++) {
            List<Event> next = TestJournal.notices(job(1), i, 1);
            stack.journal().poison(next.getFirst());
            stack.journal().append(next);
        }
        soon().until(() -> receiver.posts().size() >= 3);
        soon().until(() -> stack.deliveries("&state=delivered").size() == 3);
        awaitAllGivenBack();
        assertThat(receiver.posts())
                .extracting(post -> post.json().getJsonObject("data").getString("message"))
                .containsExactly("notice 0", "notice 1", "notice 2");
    }

    /** After it, nothing more is to be sent. */
    private void awaitAllGivenBack() {
        soon().until(() ->
                stack.query("SELECT id FROM notifier.mailbox WHERE owner IS NOT NULL").isEmpty());
    }

    private static void assertOrder(List<Receiver.Post> posts) {
        Map<String, Long> last = new HashMap<>();
        for (Receiver.Post each : posts) {
            Long before = last.put(each.job(), each.seq());
            assertThat(before == null || before < each.seq()).as("order").isTrue();
        }
    }

    @Test
    void aSubscriptionGetsItsTypesOfItsJobOrProjectFromItsBeginningOn() throws Exception {
        stack.notifier("a");
        JobId job = stack.submit();
        stack.journal().append(List.of(new Event.JobStarted(job, TestJournal.PROJECT, 1)));
        JsonObject ofJob =
                Stack.made(
                        stack.post(
                                "/api/v1/jobs/" + job + "/subscriptions",
                                new JsonObject()
                                        .put("url", receiver.url("/job"))
                                        .put("events", new JsonArray().add("*"))));
        stack.subscribe(receiver.url("/ends"), "JobFailed", "JobSucceeded");
        JsonObject gone = stack.subscribe(receiver.url("/gone"), "*");
        assertThat(stack.delete("/api/v1/subscriptions/" + gone.getString("id")).status())
                .isEqualTo(204);
        stack.journal()
                .append(
                        List.of(
                                new Event.JobStarted(job(1), TestJournal.PROJECT, 1),
                                new Event.JobStarted(job, TestJournal.PROJECT, 2),
                                new Event.JobFailed(
                                        job(1),
                                        TestJournal.PROJECT,
                                        1,
                                        FailureCause.EXIT_CODE,
                                        "it failed"),
                                new Event.JobSucceeded(job, TestJournal.PROJECT, 2)));
        soon().until(() -> receiver.posts().size() >= 4);
        Set<String> got = new HashSet<>();
        for (Receiver.Post each : receiver.posts()) {
            got.add(each.path() + " " + each.seq());
        }
        assertThat(got).containsExactlyInAnyOrder("/job 3", "/job 5", "/ends 4", "/ends 5");
        assertThat(stack.get("/api/v1/jobs/" + job + "/subscriptions").json().getJsonArray("items"))
                .hasSize(1);
        assertThat(stack.deliveries("&subscription=" + ofJob.getString("id"))).hasSize(2);
    }

    @Test
    void anEventOfAProjectDoesNotReachAnother() throws Exception {
        Stack.made(
                stack.post(
                        "/api/v1/subscriptions",
                        new JsonObject()
                                .put("url", receiver.url("/other"))
                                .put("project", "other")
                                .put("events", new JsonArray().add("*"))));
        stack.subscribe(receiver.url("/own"), "*");
        stack.notifier("a");
        stack.journal().append(TestJournal.notices(job(1), 0, 3));
        soon().until(() -> receiver.posts().size() >= 3);
        assertThat(receiver.posts()).allMatch(post -> post.path().equals("/own"));
    }

    @Test
    void bothSecretsSignWhileARotationIsUnderWay() throws Exception {
        JsonObject made = stack.subscribe(receiver.url("/"), "*");
        stack.notifier("a");
        String id = made.getString("id");
        Stack.Answer rotated =
                stack.post(
                        "/api/v1/subscriptions/" + id + "/rotate",
                        new JsonObject().put("graceSeconds", 600));
        String fresh = rotated.json().getString("secret");
        stack.journal().append(TestJournal.notices(job(1), 0, 1));
        soon().until(() -> receiver.posts().size() == 1);
        Receiver.Post post = receiver.posts().getFirst();
        assertThat(post.signedWith(fresh)).isTrue();
        assertThat(post.signedWith(made.getString("secret"))).isTrue();
        Stack.Answer refused =
                stack.post("/api/v1/subscriptions/" + id + "/rotate", new JsonObject());
        assertThat(refused.status()).as("the first one was promised 600 s").isEqualTo(409);
        assertThat(refused.json().getString("detail"))
                .contains(rotated.json().getString("oldSecretUntil"));
        JsonObject again =
                stack.post(
                                "/api/v1/subscriptions/" + id + "/rotate",
                                new JsonObject().put("graceSeconds", 0))
                        .json();
        stack.journal().append(TestJournal.notices(job(1), 1, 1));
        soon().until(() -> receiver.posts().size() == 2);
        assertThat(receiver.posts().getLast().signedWith(again.getString("secret"))).isTrue();
        assertThat(receiver.posts().getLast().signedWith(fresh)).isFalse();
        assertThat(receiver.posts().getLast().signedWith(made.getString("secret"))).isFalse();
        assertThat(stack.get("/api/v1/subscriptions/" + id).body()).doesNotContain("whsec");
        assertThat(stack.query("SELECT encode(secret, 'escape') FROM gateway.subscription"))
                .noneMatch(stored -> stored.contains("whsec"));
    }

    @Test
    void whatFailsIsTriedAgainUnderItsIdAndTheNextOfItsJobWaits() throws Exception {
        stack.subscribe(receiver.url("/"), "*");
        AtomicInteger refusals = new AtomicInteger(3);
        receiver.answer(post ->
                post.job().equals(job(1).toString()) && refusals.getAndDecrement() > 0 ? 500 : 200);
        stack.notifier("a");
        List<Event> events = new ArrayList<>(TestJournal.notices(job(1), 0, 3));
        events.addAll(TestJournal.notices(job(2), 0, 3));
        stack.journal().append(events);
        soon().until(() -> receiver.ids().size() == 6);
        List<Receiver.Post> ofFirst =
                receiver.posts().stream().filter(p -> p.job().equals(job(1).toString())).toList();
        assertThat(ofFirst.stream().map(Receiver.Post::seq))
                .containsExactly(1L, 1L, 1L, 1L, 2L, 3L);
        soon().until(() -> stack.deliveries("&state=delivered").size() == 6);
        assertThat(stack.deliveries("&job=" + job(1)).getLast().getInteger("attempts"))
                .isEqualTo(4);
    }

    @Test
    void aDeadLetterLetsTheNextPassIsShownAndCanBeTriedAgain() throws Exception {
        stack.subscribe(receiver.url("/"), "*");
        receiver.answer(post -> post.seq() == 2 ? 400 : 200);
        stack.notifier("a", s -> s.with(NotifierSettings.MAX_ATTEMPTS, 3));
        stack.journal().append(TestJournal.notices(job(1), 0, 3));
        soon().until(() -> stack.deliveries("&state=dead").size() == 1);
        soon().until(() -> receiver.ids().size() == 3);
        JsonObject dead = stack.deliveries("&state=dead").getFirst();
        String id = dead.getString("id");
        assertThat(dead.getInteger("attempts")).isEqualTo(3);
        assertThat(dead.getInteger("status")).isEqualTo(400);
        JsonObject shown = stack.get("/api/v1/deliveries/" + id).json();
        assertThat(shown.getJsonObject("body").getLong("musterseq")).isEqualTo(2);
        assertThat(receiver.posts().stream().filter(p -> p.id().equals(id))).hasSize(3);

        receiver.answer(_ -> 200);
        assertThat(stack.post("/api/v1/deliveries/" + id + "/retry", new JsonObject()).status())
                .isEqualTo(200);
        soon().until(() -> stack.deliveries("&state=delivered").size() == 3);
        assertThat(receiver.posts().stream().filter(p -> p.id().equals(id))).hasSize(4);
        assertThat(stack.deliveries("&state=dead")).isEmpty();
        assertThat(stack.post("/api/v1/deliveries/" + id + "/retry", new JsonObject()).status())
                .isEqualTo(409);
        String none = "public-9-" + "0".repeat(32);
        assertThat(stack.post("/api/v1/deliveries/" + none + "/retry", new JsonObject()).status())
                .isEqualTo(404);
    }

    @Test
    void aTargetThatDoesNotWorkIsLeftAloneAndGetsEverythingOnceItWorks() throws Exception {
        try (Receiver healthy = new Receiver()) {
            stack.subscribe(receiver.url("/"), "*");
            stack.subscribe(healthy.url("/"), "*");
            receiver.answer(_ -> 503);
            stack.notifier(
                    "a",
                    s ->
                            s.with(NotifierSettings.MAX_ATTEMPTS, 1_000)
                                    .with(NotifierSettings.CIRCUIT_MILLIS, 300)
                                    .with(NotifierSettings.CIRCUIT_MAX_MILLIS, 300));
            List<Event> events = new ArrayList<>();
            for (int job = 0; job < 200; job++) {
                events.addAll(TestJournal.notices(job(job), 0, 2));
            }
            long begun = System.nanoTime();
            stack.journal().append(events);
            soon().until(() -> healthy.ids().size() == 400);
            int probes = receiver.posts().size();
            soon().until(() -> receiver.posts().size() > probes + 1);
            int posts = receiver.posts().size();
            long pauses = Duration.ofNanos(System.nanoTime() - begun).dividedBy(LEAST_PAUSE);
            assertThat((long) posts).as("one after each pause").isLessThan(10 + pauses);
            receiver.answer(_ -> 200);
            soon().until(() -> receiver.ids().size() == 400);
            soon().until(() ->
                    stack.query("SELECT 1 FROM notifier.delivery WHERE state = 0").isEmpty());
            assertThat(healthy.posts()).hasSize(400);
        }
    }

    @Test
    void aTargetThatNeverAnswersHoldsUpNobodyElse() throws Exception {
        try (Receiver healthy = new Receiver()) {
            stack.subscribe(receiver.url("/"), "*");
            stack.subscribe(healthy.url("/"), "*");
            receiver.answer(_ -> Receiver.SILENT);
            stack.notifier("a", s -> s.with(NotifierSettings.TIMEOUT_MILLIS, 300));
            stack.journal().append(TestJournal.notices(job(1), 0, 100));
            soon().until(() -> healthy.ids().size() == 100);
            soon().until(() -> !receiver.posts().isEmpty());
            soon().until(() ->
                    stack.deliveries("&state=pending").stream()
                            .anyMatch(d -> d.getInteger("attempts") > 0));
        }
    }

    @Test
    void whereTheOperatorDoesNotAllowItNothingPrivateIsReached() throws Exception {
        JsonObject made = stack.subscribe(receiver.url("/"), "*");
        stack.subscribe("http://localhost:" + receiver.port() + "/", "*");
        stack.notifier(
                "a",
                s ->
                        s.with(NotifierSettings.ALLOWED_NETWORKS, List.of("10.0.0.0/8"))
                                .with(NotifierSettings.MAX_ATTEMPTS, 2));
        JsonObject tested =
                stack.post(
                                "/api/v1/subscriptions/" + made.getString("id") + "/test",
                                new JsonObject())
                        .json();
        assertThat(tested.getBoolean("arrived")).isFalse();
        assertThat(tested.getString("error")).contains("127.0.0.1", "allowedNetworks");
        stack.journal().append(TestJournal.notices(job(1), 0, 1));
        soon().until(() -> stack.deliveries("&state=dead").size() == 2);
        assertThat(stack.deliveries("&state=dead"))
                .allMatch(d -> d.getString("error").contains("allowedNetworks"));
        assertThat(receiver.posts()).isEmpty();
    }

    @Test
    void aRedirectIsNotFollowed() throws Exception {
        JsonObject made = stack.subscribe(receiver.url("/here"), "*");
        stack.notifier("a");
        receiver.answer(_ -> 302);
        JsonObject tested =
                stack.post(
                                "/api/v1/subscriptions/" + made.getString("id") + "/test",
                                new JsonObject())
                        .json();
        assertThat(tested.getString("error")).contains("redirect");
        assertThat(receiver.posts()).allMatch(post -> post.path().equals("/here"));
        receiver.answer(_ -> 200);
        JsonObject again =
                stack.post(
                                "/api/v1/subscriptions/" + made.getString("id") + "/test",
                                new JsonObject())
                        .json();
        assertThat(again.getBoolean("arrived")).isTrue();
        assertThat(receiver.posts().getLast().signedWith(made.getString("secret"))).isTrue();
        assertThat(receiver.posts().getLast().json().getString("type"))
                .isEqualTo("dev.muster.Ping");
    }

    @Test
    void whatHappenedWhileNoNotifierRanIsDelivered() throws Exception {
        stack.subscribe(receiver.url("/"), "*");
        stack.notifier("a");
        stack.journal().append(TestJournal.notices(job(1), 0, 10));
        soon().until(() -> receiver.ids().size() == 10);
        stack.stop("a");
        stack.journal().append(TestJournal.notices(job(1), 10, 10));
        receiver.answer(_ -> 503);
        stack.notifier("a");
        soon().until(() -> receiver.posts().size() > 11);
        stack.stop("a");
        stack.expireLeases("a");
        receiver.answer(_ -> 200);
        stack.notifier("b");
        soon().until(() -> receiver.taken().size() >= 20);
        awaitAllGivenBack();
        assertThat(receiver.taken()).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    void twoNotifiersShareTheWorkAndSendNothingTwice() throws Exception {
        List<Receiver> receivers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            receivers.add(new Receiver());
            stack.subscribe(receivers.getLast().url("/"), "*");
        }
        stack.notifier("a", s -> s.with(NotifierSettings.CLAIM_ROWS, 1));
        stack.notifier("b", s -> s.with(NotifierSettings.CLAIM_ROWS, 1));
        for (int i = 0; i < 20; i++) {
            stack.journal().append(TestJournal.notices(job(i % 4), i * 5, 5));
        }
        for (Receiver each : receivers) {
            soon().until(() -> each.ids().size() == 100);
        }
        stack.stop("a");
        stack.expireLeases("a");
        stack.journal().append(TestJournal.notices(job(1), 100, 50));
        for (Receiver each : receivers) {
            soon().until(() -> each.ids().size() == 150);
        }
        awaitAllGivenBack();
        for (Receiver each : receivers) {
            assertThat(each.posts()).hasSize(150);
            assertOrder(each.posts());
            each.close();
        }
    }

    @Test
    void everyViolationOfASubscriptionIsToldAtOnce() throws Exception {
        Stack.Answer refused =
                stack.post(
                        "/api/v1/subscriptions",
                        new JsonObject()
                                .put("url", "ftp://user@host/")
                                .put("project", "No Project!")
                                .put("events", new JsonArray().add("JobStarted").add("Nonsense"))
                                .put("colour", "red"));
        assertThat(refused.status()).isEqualTo(400);
        List<String> paths = new ArrayList<>();
        refused.json()
                .getJsonArray("violations")
                .forEach(each -> paths.add(((JsonObject) each).getString("path")));
        assertThat(paths).containsExactlyInAnyOrder("url", "project", "events[1]", "colour");
        String id = stack.subscribe(receiver.url("/")).getString("id");
        Stack.Answer rotated =
                stack.post(
                        "/api/v1/subscriptions/" + id + "/rotate",
                        new JsonObject().put("graceSeconds", -1).put("graceMinutes", 5));
        assertThat(rotated.status()).isEqualTo(400);
        assertThat(rotated.json().getJsonArray("violations")).hasSize(2);
        for (String url :
                List.of(
                        "",
                        "example.com",
                        "https://",
                        "https://u:p@example.com/",
                        "https://example.com/#a",
                        "https://example.com:99999/")) {
            assertThat(
                            stack.post("/api/v1/subscriptions", new JsonObject().put("url", url))
                                    .status())
                    .as(url)
                    .isEqualTo(400);
        }
        assertThat(stack.get("/api/v1/deliveries?state=odd&limit=0").status()).isEqualTo(400);
        assertThat(stack.get("/api/v1/subscriptions/nothing").status()).isEqualTo(404);
    }
}
