package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Restarts of each tier and each budget at its edge: real processes, as the ledger tells them. */
class RecoveryIT {

    private static Installation muster;

    @BeforeAll
    static void up() throws IOException {
        muster = new Installation();
        muster.up();
    }

    @AfterAll
    static void down() throws Exception {
        try {
            KillIT.assertSound(muster);
        } finally {
            muster.close();
        }
    }

    private static ObjectNode job(String name, int instances, String command) {
        ObjectNode spec = Installation.shellJob(name, instances, command);
        spec.putObject("recovery").put("autoRestart", true);
        return spec;
    }

    private static ObjectNode recovery(ObjectNode spec) {
        return (ObjectNode) spec.path("recovery");
    }

    /** What hangs is found after a silence that a busy machine's start-up does not reach. */
    private static ObjectNode hanging(String name, String command) {
        ObjectNode spec = job(name, 2, command);
        recovery(spec)
                .put("hangRestart", true)
                .put("hangSilenceSeconds", 4)
                .put("startupSeconds", 0);
        return spec;
    }

    private static JsonNode ended(ObjectNode spec, String state) {
        String id = muster.submit(spec);
        muster.awaitState(Duration.ofMinutes(3), id, state);
        return muster.job(id);
    }

    private static JsonNode ledger(JsonNode job) {
        try (ApiClient api = muster.api()) {
            return api.get(Jobs.path(job.path("id").asText()) + "/incidents").path("items");
        }
    }

    /** Each record as scenario, tiers and result. */
    private static List<String> records(JsonNode job) {
        List<String> records = new ArrayList<>();
        for (JsonNode each : ledger(job)) {
            List<String> tiers = new ArrayList<>();
            each.path("tiers").forEach(tier -> tiers.add(tier.path("name").asText()));
            records.add(
                    each.path("scenario").asText()
                            + " "
                            + tiers
                            + " "
                            + each.path("result").asText());
        }
        return records;
    }

    @Test
    void aGangThatHangsAgainAndAgainClimbsThroughAllTiersUntilNoneIsLeft() {
        JsonNode job = ended(hanging("hangs-for-ever", "echo up; sleep 600"), "FAILED");

        assertThat(records(job))
                .containsExactlyInAnyOrder(
                        "JOB_HANGED [proc_restart] SUCCESS",
                        "JOB_HANGED [pod_reschedule] SUCCESS",
                        "JOB_HANGED [job_reschedule] SUCCESS",
                        "JOB_HANGED [] QUOTA_EXCEEDED");
        assertThat(job.path("attempt").asInt()).isEqualTo(2);
        assertThat(Jobs.why(job)).contains("3");
        for (JsonNode each : ledger(job)) {
            assertThat(each.path("instances")).hasSize(2);
            boolean restarted = !each.path("tiers").isEmpty();
            assertThat(each.path("evidence")).hasSize(restarted ? 2 : 0);
        }
    }

    @Test
    void aUsersErrorEndsTheJobAtOnce() {
        JsonNode job = ended(job("wrong", 1, "exit 3"), "FAILED");

        assertThat(records(job)).containsExactly("JOB_FAILED [] FAILED");
        assertThat(job.path("attempt").asInt()).isEqualTo(1);
    }

    @Test
    void anUnconditionalRestartIsTriedThreeTimesInARow() {
        ObjectNode spec = job("wrong-again-and-again", 1, "exit 3");
        recovery(spec).put("unconditionalRestart", true).put("maxRestarts", 100);

        JsonNode job = ended(spec, "FAILED");

        assertThat(String.join("; ", records(job))).contains("QUOTA_EXCEEDED");
        assertThat(restarts(job)).isEqualTo(3);
    }

    @Test
    void restartsOfContainersAndJobsAreBoundedByTheJobsOwnNumber() {
        ObjectNode spec = job("broken-environment", 1, "echo up; echo FAULT of the node; exit 9");
        recovery(spec).put("maxRestarts", 1).putArray("failurePatterns").add("FAULT of the");

        JsonNode job = ended(spec, "FAILED");

        // in place first, which costs nothing; then one that counts; the next has no budget
        assertThat(restarts(job)).isEqualTo(2);
        assertThat(String.join("; ", records(job)))
                .contains("proc_restart", "pod_reschedule", "QUOTA_EXCEEDED");
        assertThat(ledger(job).toString()).contains("ERROR_IN_LOG");
        assertThat(Jobs.why(job)).contains("maxRestarts");
    }

    private static long restarts(JsonNode job) {
        try (ApiClient api = muster.api()) {
            long restarts = 0;
            for (JsonNode event :
                    api.get(Jobs.path(job.path("id").asText()) + "/events").path("items")) {
                restarts += EventLine.type(event).equals("JobRestarting") ? 1 : 0;
            }
            return restarts;
        }
    }

    @Test
    void aKilledSupervisorCostsAContainerAndNoSecondStartBesideALivingCommand() throws Exception {
        ObjectNode spec = job("loses-its-supervisor", 1, "echo up; sleep 600");
        String id = muster.submit(spec);
        muster.awaitState(id, "RUNNING");

        killSupervisors(id);

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() ->
                        assertThat(records(muster.job(id)))
                                .containsExactly("JOB_FAILED [pod_reschedule] SUCCESS"));
        assertThat(restarts(muster.job(id))).isEqualTo(1);
        assertThat(muster.state(id)).isEqualTo("RUNNING");
        muster.muster("cancel", id, "--wait");
    }

    /** The first process of each namespace of the job: its supervisor. */
    private static void killSupervisors(String id) {
        List<ProcessHandle> supervisors =
                ProcessHandle.allProcesses()
                        .filter(each -> commandLine(each).contains(id))
                        .filter(each -> commandLine(each).contains("supervisor.sh"))
                        .toList();
        assertThat(supervisors).isNotEmpty();
        supervisors.forEach(ProcessHandle::destroyForcibly);
    }

    private static String commandLine(ProcessHandle process) {
        return process.info().commandLine().orElse("");
    }
}
