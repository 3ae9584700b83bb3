package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.JobId;
import dev.muster.domain.NodeId;
import dev.muster.domain.Placement;
import dev.muster.domain.ProjectId;
import dev.muster.domain.RecoveryResult;
import dev.muster.domain.Scenario;
import dev.muster.domain.Spent;
import dev.muster.domain.Tier;
import dev.muster.gateway.GatewayFixture.Answer;
import dev.muster.gateway.GatewayFixture.Gateway;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RecoveryIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final ProjectId PROJECT = new ProjectId("default");

    private final GatewayFixture fixture = new GatewayFixture();
    private TestScheduler scheduler;
    private Gateway gateway;

    @BeforeAll
    void start() throws Exception {
        scheduler = fixture.scheduler();
        gateway = fixture.start("one");
        scheduler.start();
    }

    @AfterAll
    void stop() throws Exception {
        fixture.close();
        scheduler.close();
    }

    @Test
    void keepsTheLedgerOfAJobThatClimbsTwoTiersAndRunsAgain() throws Exception {
        JobId job = running("climbs");
        scheduler.append(
                List.of(
                        hanged(job, 1),
                        opened(job, 1, Scenario.JOB_HANGED),
                        restarting(job, 1, Tier.PROCESS, Scenario.JOB_HANGED, new Spent(0, 0, 1))));
        awaitState(job, "RESTARTING");
        JsonObject open = incidents(job, "").getJsonObject(0);
        assertThat(open.getString("result")).isEqualTo("RECOVERING");
        assertThat(open.containsKey("endedAt")).isFalse();

        scheduler.append(
                List.of(
                        new Event.EvidenceKept(job, PROJECT, 1, 0, 1, "evidence/a.txt", 1),
                        restarting(job, 1, Tier.CONTAINER, Scenario.JOB_FAILED, new Spent(1, 0, 1)),
                        new Event.JobStarting(job, PROJECT, 1, 1)));
        await().atMost(LONG)
                .until(() -> incidents(job, "").getJsonObject(0).getJsonArray("tiers").size() == 2);
        awaitState(job, "RESTARTING");
        scheduler.append(List.of(new Event.JobRestarted(job, PROJECT, 1, 1, Tier.CONTAINER)));
        awaitState(job, "RUNNING");

        JsonObject incident = incidents(job, "").getJsonObject(0);
        assertThat(incident.getString("scenario")).isEqualTo("JOB_HANGED");
        assertThat(incident.getString("result")).isEqualTo("SUCCESS");
        assertThat(incident.getString("startedAt")).isNotEmpty();
        assertThat(incident.getString("endedAt")).isNotEmpty();
        assertThat(incident.getJsonArray("instances")).isEqualTo(JsonArray.of(0, 1));
        assertThat(incident.getJsonArray("nodes")).isEqualTo(JsonArray.of("node-1", "node-2"));
        JsonArray tiers = incident.getJsonArray("tiers");
        assertThat(tiers.getJsonObject(0).getString("name")).isEqualTo("proc_restart");
        assertThat(tiers.getJsonObject(0).getString("result")).isEqualTo("DOWNGRADE");
        assertThat(tiers.getJsonObject(1).getString("name")).isEqualTo("pod_reschedule");
        assertThat(tiers.getJsonObject(1).getString("result")).isEqualTo("SUCCESS");
        assertThat(tiers.getJsonObject(1).getJsonObject("spent").getInteger("restarts"))
                .isEqualTo(1);
        assertThat(incident.getJsonArray("evidence").getJsonObject(0).getString("location"))
                .isEqualTo("evidence/a.txt");
    }

    @Test
    void saysWhichBudgetEndedAJob() throws Exception {
        JobId job = running("exhausted");
        scheduler.append(
                List.of(
                        opened(job, 1, Scenario.JOB_FAILED),
                        new Event.IncidentClosed(
                                job,
                                PROJECT,
                                1,
                                1,
                                RecoveryResult.QUOTA_EXCEEDED,
                                "all 3 restarts (recovery.maxRestarts) are used"),
                        new Event.JobFinishing(
                                job, PROJECT, 1, FailureCause.EXIT_CODE, "all are used")));
        awaitState(job, "FINISHING");

        JsonObject incident = incidents(job, "").getJsonObject(0);

        assertThat(incident.getString("result")).isEqualTo("QUOTA_EXCEEDED");
        assertThat(incident.getString("reason")).contains("all 3 restarts");
        assertThat(incident.getJsonArray("tiers")).isEmpty();
    }

    @Test
    void listsIncidentsPageByPage() throws Exception {
        JobId job = running("pages");
        List<Event> events = new ArrayList<>();
        for (int incident = 1; incident <= 3; incident++) {
            events.add(opened(job, incident, Scenario.JOB_HANGED));
            events.add(
                    new Event.IncidentClosed(
                            job,
                            PROJECT,
                            1,
                            incident,
                            RecoveryResult.NOT_RESTARTED,
                            "hangRestart is off"));
        }
        scheduler.append(events);
        await().atMost(LONG).until(() -> incidents(job, "").size() == 3);

        JsonObject first = page(job, "?limit=2");

        assertThat(first.getJsonArray("items")).hasSize(2);
        JsonObject second = page(job, "?limit=2&after=" + first.getString("next"));
        assertThat(second.getJsonArray("items").getJsonObject(0).getInteger("incident"))
                .isEqualTo(3);
        assertThat(second.containsKey("next")).isFalse();
        assertThat(fixture.get(gateway, path(job) + "/incidents?limit=0&aftr=1").status())
                .isEqualTo(400);
        assertThat(fixture.get(gateway, path(new JobId(1, 2)) + "/incidents").status())
                .isEqualTo(404);
    }

    @Test
    void preemptsAJobAndSaysWhyNot() throws Exception {
        JobId job = running("preempted");

        Answer refused =
                fixture.post(gateway, path(job) + "/preempt", "{\"reason\":\"refuse me\"}");
        Answer taken = fixture.post(gateway, path(job) + "/preempt", "{\"reason\":\"room\"}");

        assertThat(refused.status()).isEqualTo(409);
        assertThat(taken.status()).isEqualTo(200);
        assertThat(taken.json().getString("state")).isEqualTo("PREEMPTED");
        awaitState(job, "PREEMPTED");
        assertThat(fixture.get(gateway, path(job)).json().getString("message")).isEqualTo("room");
    }

    /** A job whose row is there: what comes before it is queued is not seen by its view. */
    private JobId running(String name) throws Exception {
        JobId job = JobId.parse(fixture.submit(gateway, name));
        awaitState(job, "QUEUED");
        scheduler.append(
                List.of(
                        new Event.GangGranted(
                                job,
                                PROJECT,
                                1,
                                List.of(
                                        new Placement(0, new NodeId("node-1"), List.of()),
                                        new Placement(1, new NodeId("node-2"), List.of()))),
                        new Event.JobStarting(job, PROJECT, 1, 1),
                        new Event.JobStarted(job, PROJECT, 1)));
        awaitState(job, "RUNNING");
        return job;
    }

    private static Event hanged(JobId job, int incident) {
        return new Event.JobHanged(job, PROJECT, 1, "incident-1", incident, "silent for 60 s");
    }

    private static Event opened(JobId job, int incident, Scenario scenario) {
        return new Event.IncidentOpened(
                job,
                PROJECT,
                1,
                incident,
                scenario,
                List.of(0, 1),
                List.of(new NodeId("node-1"), new NodeId("node-2")),
                "silent for 60 s");
    }

    private static Event restarting(
            JobId job, int incident, Tier tier, Scenario scenario, Spent spent) {
        boolean process = tier == Tier.PROCESS;
        return new Event.JobRestarting(
                job, PROJECT, 1, incident, tier, scenario, process ? 1 : 2, process ? 2 : 0, spent);
    }

    private void awaitState(JobId job, String state) {
        await().atMost(LONG)
                .until(() ->
                        fixture.get(gateway, path(job)).json().getString("state").equals(state));
    }

    private JsonArray incidents(JobId job, String query) throws Exception {
        return page(job, query).getJsonArray("items");
    }

    private JsonObject page(JobId job, String query) throws Exception {
        return fixture.get(gateway, path(job) + "/incidents" + query).json();
    }

    private static String path(JobId job) {
        return "/api/v1/jobs/" + job;
    }
}
