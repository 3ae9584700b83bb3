package dev.muster.notifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.JobId;
import dev.muster.platform.config.PlatformSettings;

import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Notifiers as processes that are really killed while they deliver. */
class KillIT {

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int KILLED = 137;
    private static final int EVENTS = 20;

    /** Seq of an event that no receiver takes until the end. */
    private static final long POISON = 5;

    private Stack stack;
    private Receiver first;
    private Receiver second;
    private volatile boolean lenient;
    private int appended;

    @BeforeEach
    void prepare() throws Exception {
        stack = new Stack();
        first = new Receiver();
        second = new Receiver();
        first.answer(post -> post.seq() == POISON && !lenient ? 400 : 200);
        stack.subscribe(first.url("/"), "*");
        stack.subscribe(second.url("/"), "*");
    }

    @AfterEach
    void close() throws Exception {
        stack.close();
        first.close();
        second.close();
    }

    @Test
    void losesNothingAndRepeatsOnlyUnderTheSameIdWhenKilledAtEachOfItsSteps() throws Exception {
        for (String step : NotifierSettings.FAILPOINTS) {
            if (!step.equals(NotifierSettings.REVIVED)) {
                killAt(step + ":1");
            }
        }
        killAt(NotifierSettings.ANSWERED + ":13");
        killAt(NotifierSettings.SETTLED + ":3");
        killWhileADeadOneIsRevived();
        lenient = true;
        try (NotifierProcess last = process("")) {
            append();
            await().atMost(PATIENCE).until(() -> first.ids().size() == appended);
            await().atMost(PATIENCE).until(() -> second.ids().size() == appended);
            assertThat(last.runs()).isTrue();
            await().atMost(PATIENCE)
                    .until(() ->
                            stack.query("SELECT 1 FROM notifier.delivery WHERE state <> 1")
                                    .isEmpty());
        }
        assertInOrder(second);
        assertThat(stack.query("SELECT 1 FROM notifier.dead_letter")).isEmpty();
    }

    @Test
    void anotherNotifierTakesOverFromOneThatWasKilled() throws Exception {
        try (NotifierProcess doomed = process("")) {
            append();
            await().atMost(PATIENCE).until(() -> second.ids().size() == appended);
            stack.notifier("b", s -> s.with(NotifierSettings.LEASE_MILLIS, 2_000));
            append();
            doomed.kill();
            append();
            await().atMost(PATIENCE).until(() -> second.ids().size() == appended);
            assertInOrder(second);
        }
    }

    private void append() {
        for (int i = 0; i < EVENTS; i++) {
            JobId job = new JobId(0x1234_0000_7000L + i % 3, Long.MIN_VALUE);
            stack.journal().append(TestJournal.notices(job, appended++, 1));
        }
    }

    private NotifierProcess process(String crashAt) {
        return NotifierProcess.start(
                stack.settings()
                        .with(PlatformSettings.SERVICE_ID, "a")
                        .with(NotifierSettings.LEASE_MILLIS, 2_000)
                        .with(NotifierSettings.MAX_ATTEMPTS, 2),
                Stack.KEYS,
                crashAt);
    }

    private void killAt(String step) throws InterruptedException {
        append();
        int status = 0;
        // on a busy machine a start may fail for want of a connection in time: then once more
        for (int start = 1; start <= 3 && status != KILLED; start++) {
            try (NotifierProcess doomed = process(step)) {
                status = doomed.awaitExit(PATIENCE.toSeconds());
            }
        }
        assertThat(status).as(step).isEqualTo(KILLED);
    }

    private void killWhileADeadOneIsRevived() throws Exception {
        try (NotifierProcess doomed = process(NotifierSettings.REVIVED + ":1")) {
            await().atMost(PATIENCE).until(() -> !stack.deliveries("&state=dead").isEmpty());
            List<JsonObject> dead = stack.deliveries("&state=dead");
            assertThat(dead).hasSize(1);
            String path = "/api/v1/deliveries/" + dead.getFirst().getString("id") + "/retry";
            await().atMost(PATIENCE).until(() -> retried(path, doomed));
            assertThat(doomed.awaitExit(PATIENCE.toSeconds())).isEqualTo(KILLED);
        }
        assertThat(stack.deliveries("&state=dead")).as("it was revived").isEmpty();
    }

    /** Whether the notifier took the request, and its end with it. */
    private boolean retried(String path, NotifierProcess doomed)
            throws IOException, InterruptedException {
        int status = stack.post(path, new JsonObject()).status();
        return status != 503 || !doomed.runs();
    }

    /** What arrives for the first time comes in the order of its job. */
    private static void assertInOrder(Receiver receiver) {
        Map<String, Long> last = new HashMap<>();
        Set<String> seen = new LinkedHashSet<>();
        for (Receiver.Post each : receiver.posts()) {
            if (seen.add(each.id())) {
                Long before = last.put(each.job(), each.seq());
                assertThat(before == null || before < each.seq()).as("order").isTrue();
            }
        }
    }
}
