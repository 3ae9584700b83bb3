package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.muster.cli.Installation.Said;
import dev.muster.platform.config.Declarations;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Kill −9, at every failpoint and in the middle of a running job. */
class KillIT {

    private static final Duration ROUND = Duration.ofSeconds(60);

    /**
     * Not on the way of jobs that run well or are stopped on a machine that is well: the tests of
     * agent, gateway and platform kill or fail there.
     */
    private static final Set<String> ELSEWHERE =
            Set.of(
                    "agent.cleared",
                    "agent.failed",
                    "agent.killed",
                    "agent.removed",
                    "gateway.batch.resolved",
                    "platform.lane.repeated");

    /**
     * One start per failpoint: it takes over what the one before left, is given a job that runs,
     * one that hangs once, one that fails and one that is stopped, and halts where it was told to.
     */
    @Test
    void everyJobEndsWellAndStartsOnceWhereverUpIsKilled() throws Exception {
        try (Installation muster = new Installation();
                DemoReceiver receiver =
                        new DemoReceiver(
                                new DataDirectory(muster.directory())
                                        .deliveries()
                                        .resolve("kill.jsonl"))) {
            subscribe(muster, receiver);
            Map<String, String> wanted = new LinkedHashMap<>();
            Set<String> reached = new TreeSet<>();
            Set<String> failpoints = new TreeSet<>(Declarations.allFailpoints());
            failpoints.removeAll(ELSEWHERE);
            // the notifier's own test kills it there, with receivers at hand
            failpoints.removeIf(each -> each.startsWith("notifier."));
            // and the scheduler's, with weeks that are old
            failpoints.removeIf(each -> each.startsWith("scheduler.roll."));
            Path code = muster.directory().resolve("store/kill/code");
            Files.createDirectories(code);
            Files.writeString(code.resolve("run.sh"), "sleep 1; echo done > $out/done\n");
            System.out.println("failpoints: " + String.join(" ", failpoints));
            for (String failpoint : failpoints) {
                boolean killed = killedAt(muster, failpoint, wanted);
                System.out.println((killed ? "killed at " : "not killed at ") + failpoint);
                if (killed) {
                    reached.add(failpoint);
                }
            }
            try (MusterProcess last = muster.up(SETTINGS)) {
                stopWhatWasToBeStopped(muster, wanted);
                wanted.forEach((id, state) -> muster.awaitState(id, state));
                assertRestartedOnce(muster, wanted.keySet());
                awaitTold(muster, receiver, wanted);
                assertSound(muster);
                assertThat(last.alive()).isTrue();
            }
            Set<String> missed = new TreeSet<>(failpoints);
            missed.removeAll(reached);
            assertThat(missed).as("failpoints that no process was killed at").isEmpty();
        }
    }

    /** Every started job is told of, whatever was killed meanwhile. */
    private static void subscribe(Installation muster, DemoReceiver receiver) throws Exception {
        try (MusterProcess _ = muster.up(SETTINGS);
                ApiClient api = muster.api()) {
            ObjectNode wanted = JsonNodeFactory.instance.objectNode().put("url", receiver.url());
            DemoProof.told().forEach(wanted.putArray("events")::add);
            receiver.followAll();
            receiver.expect(
                    api.post("/api/v1/subscriptions", wanted.toString()).path("secret").asText());
        }
    }

    /** Each fact of the kinds that were subscribed is told of, once by its id, in order. */
    private static void awaitTold(
            Installation muster, DemoReceiver receiver, Map<String, String> wanted) {
        try (ApiClient api = muster.api()) {
            for (String id : wanted.keySet()) {
                List<String> facts = new ArrayList<>();
                api.get(Jobs.path(id) + "/events")
                        .path("items")
                        .forEach(event -> {
                            if (DemoProof.told().contains(EventLine.type(event))) {
                                facts.add(event.path("id").asText());
                            }
                        });
                await("what is told of " + id)
                        .atMost(ROUND)
                        .untilAsserted(() ->
                                assertThat(receiver.about(id))
                                        .extracting(event -> event.path("id").asText())
                                        .containsExactlyElementsOf(facts));
            }
        }
    }

    /** A hang leads to one restart, however often the verdict on it was given. */
    private static void assertRestartedOnce(Installation muster, Set<String> jobs) {
        try (ApiClient api = muster.api()) {
            for (String id : jobs) {
                if (api.get(Jobs.path(id)).path("name").asText().equals("hangs")) {
                    List<String> restarts = new ArrayList<>();
                    api.get(Jobs.path(id) + "/events")
                            .path("items")
                            .forEach(event -> {
                                if (EventLine.type(event).equals("JobRestarting")) {
                                    restarts.add(event.path("data").path("tier").asText());
                                }
                            });
                    assertThat(restarts).as(id).containsExactly("PROCESS");
                }
            }
        }
    }

    private static ObjectNode jobThatHangsOnce() {
        ObjectNode spec =
                Installation.shellJob(
                        "hangs", 1, "echo begun; test $MA_PROC_START_CNT -gt 1 || sleep 600");
        spec.putObject("recovery")
                .put("autoRestart", true)
                .put("hangRestart", true)
                .put("hangSilenceSeconds", 4)
                .put("startupSeconds", 0);
        return spec;
    }

    /** Of its own fault, which the monitor is asked about. */
    private static ObjectNode jobThatFails() {
        ObjectNode spec = Installation.shellJob("fails", 1, "exit 3");
        spec.putObject("recovery").put("autoRestart", true);
        return spec;
    }

    private static ObjectNode jobThatMovesData() {
        ObjectNode spec =
                Installation.shellJob("runs", 2, "sh $MA_JOB_DIR/code/run.sh")
                        .put("codeDir", "obs://kill/code");
        spec.putArray("outputs")
                .addObject()
                .put("name", "out")
                .put("target", "obs://kill/out")
                .put("access", "env");
        return spec;
    }

    /** A cancel that a kill swallowed is given again. */
    private static void stopWhatWasToBeStopped(Installation muster, Map<String, String> wanted) {
        wanted.forEach((id, state) -> {
            if (state.equals("STOPPED")) {
                muster.muster("cancel", id);
            }
        });
    }

    private static boolean killedAt(
            Installation muster, String failpoint, Map<String, String> wanted) throws Exception {
        try (MusterProcess process =
                muster.up(Map.of("MUSTER_CRASH_AT", failpoint + ":1"), SETTINGS)) {
            try {
                if (process.alive()) {
                    stopWhatWasToBeStopped(muster, wanted);
                    String runs = muster.submit(jobThatMovesData());
                    wanted.put(runs, "SUCCEEDED");
                    String hangs = muster.submit(jobThatHangsOnce());
                    wanted.put(hangs, "SUCCEEDED");
                    String fails = muster.submit(jobThatFails());
                    wanted.put(fails, "FAILED");
                    String stops = muster.submit(Installation.shellJob("stops", 1, "sleep 600"));
                    wanted.put(stops, "STOPPED");
                    awaitOrDeath(process, () -> muster.state(stops).equals("RUNNING"));
                    muster.muster("cancel", stops);
                    awaitOrDeath(
                            process,
                            () ->
                                    ended(muster, runs)
                                            && ended(muster, hangs)
                                            && ended(muster, fails)
                                            && ended(muster, stops));
                }
            } catch (CommandFailure e) {
                // killed while it was asked: the job was refused, or not heard of
            }
            boolean killed = !process.alive() || dies(process);
            return killed && process.awaitExit() == 137;
        }
    }

    /** What comes at its own time comes soon here, so that its failpoints do. */
    private static final String[] SETTINGS = {
        "scheduler.snapshot.seconds=1",
        "monitor.sampleSeconds=1",
        "executor.progressIntervalMillis=500",
        "notifier.allowedNetworks=127.0.0.0/8"
    };

    private static boolean ended(Installation muster, String id) {
        return Set.of("SUCCEEDED", "FAILED", "STOPPED").contains(muster.state(id));
    }

    private static void awaitOrDeath(
            MusterProcess process, java.util.concurrent.Callable<Boolean> condition) {
        await().atMost(ROUND)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptions()
                .until(() -> !process.alive() || condition.call());
    }

    /** A failpoint behind the job's end, such as a snapshot's, comes a moment later. */
    private static boolean dies(MusterProcess process) {
        try {
            await().atMost(Duration.ofSeconds(3))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> !process.alive());
            return true;
        } catch (org.awaitility.core.ConditionTimeoutException e) {
            return false;
        }
    }

    static void assertSound(Installation muster) {
        Said said = muster.muster("verify", "--json");
        assertThat(said.exitCode()).as(said.out() + said.err()).isZero();
    }
}
