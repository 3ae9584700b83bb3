package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.muster.cli.Installation.Said;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a user does with a Muster that runs. */
class LifeIT {

    private static Installation muster;

    @TempDir private Path folder;

    @BeforeAll
    static void up() throws IOException {
        muster = new Installation();
        muster.up();
    }

    @AfterAll
    static void down() throws Exception {
        muster.close();
    }

    private Path spec(String yaml) throws IOException {
        return Files.writeString(folder.resolve("job.yaml"), yaml);
    }

    @Test
    void submitsAndWaitsForTheEndOfAJob() throws IOException {
        Path file = spec("{name: hello, instances: 2, command: 'echo hello from $VC_TASK_INDEX'}");

        Said said = muster.muster("submit", "-f", file.toString(), "--wait", "-o", "json");

        assertThat(said.exitCode()).as(said.err()).isZero();
        JsonNode job = Documents.json(said.out());
        assertThat(job.path("state").asText()).isEqualTo("SUCCEEDED");
        String id = job.path("id").asText();
        Said described = muster.muster("describe", id);
        assertThat(described.out()).contains("GangGranted", "JobSucceeded", "hello");
        assertThat(muster.muster("list").out()).contains(id);
        assertThat(muster.muster("get", id, "-o", "yaml").out()).contains("SUCCEEDED");
        assertThat(log(id, 0)).contains("hello from 0");
        assertThat(log(id, 1)).contains("hello from 1");
    }

    private static String log(String id, int instance) throws IOException {
        try (ApiClient api = muster.api();
                var in =
                        api.stream(
                                Jobs.path(id) + "/instances/" + instance + "/logs?follow=true")) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    @Test
    void exitsWithTheCodeOfTheCommandThatFailed() throws IOException {
        Path file = spec("{name: fails, command: 'exit 7'}");

        Said said = muster.muster("submit", "-f", file.toString(), "--wait");

        assertThat(said.exitCode()).isEqualTo(7);
        assertThat(said.out()).contains("FAILED", "7");
    }

    @Test
    void cancelsARunningJobAfterItsOutputsAreSafe() throws IOException {
        Path file =
                spec(
                        "{name: long, command: 'echo kept > $out/kept; sleep 600', outputs: [{name:"
                                + " out, target: 'obs://life/out', access: env}]}");
        String id = muster.muster("submit", "-f", file.toString()).out().strip();
        muster.awaitState(id, "RUNNING");

        Said said = muster.muster("cancel", id, "--reason", "enough", "--wait");

        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(muster.job(id).path("state").asText()).isEqualTo("STOPPED");
        assertThat(muster.directory().resolve("store/life/out/kept")).hasContent("kept\n");
    }

    @Test
    void preemptsAJobThatQueuesAgainAndRunsToItsEnd() throws IOException {
        Path file =
                spec(
                        "{name: polite, preemptible: true,"
                                + " command: 'test $MA_SCHEDULE_CNT -gt 1 || sleep 600'}");
        String id = muster.muster("submit", "-f", file.toString()).out().strip();
        muster.awaitState(id, "RUNNING");

        Said said = muster.muster("preempt", id, "--reason", "maintenance");

        assertThat(said.exitCode()).as(said.err()).isZero();
        muster.awaitState(id, "SUCCEEDED");
        assertThat(muster.job(id).path("attempt").asInt()).isEqualTo(2);
        assertThat(seq(id, "JobPreempted")).isLessThan(seq(id, "GangReleased"));
        assertThat(muster.muster("preempt", id).err()).contains("has ended already");
    }

    @Test
    void tellsWhyAJobThatFailedWasNotRestarted() throws IOException {
        Path file = spec("{name: faulty, command: 'exit 7', recovery: {autoRestart: true}}");
        String id = muster.muster("submit", "-f", file.toString()).out().strip();
        muster.awaitState(id, "FAILED");

        Said said = muster.muster("incidents", id);

        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(said.out())
                .contains("JOB_FAILED", "FAILED", "ended with code 7")
                .contains("unconditionalRestart is off");
        assertThat(muster.muster("describe", id).out()).contains("INCIDENT", "unconditional");
        assertThat(muster.muster("incidents", id, "-o", "json").out()).contains("\"tiers\"");
    }

    @Test
    void S12_twoGangsThatEachNeedTwoThirdsOfTheNodesRunOneAfterTheOther() {
        ObjectNode whole = Installation.shellJob("whole-nodes", 2, "sleep 2");
        whole.putObject("resources").put("accelerators", 4);
        List<String> ids = List.of(muster.submit(whole), muster.submit(whole));

        ids.forEach(id -> muster.awaitState(id, "SUCCEEDED"));

        List<long[]> held = new ArrayList<>();
        for (String id : ids) {
            long granted = seq(id, "GangGranted");
            long released = seq(id, "GangReleased");
            held.add(new long[] {granted, released});
        }
        held.sort((a, b) -> Long.compare(a[0], b[0]));
        assertThat(held.get(0)[1]).isLessThan(held.get(1)[0]);
    }

    private static long seq(String id, String type) {
        try (ApiClient api = muster.api()) {
            for (JsonNode event : api.get(Jobs.path(id) + "/events").path("items")) {
                if (EventLine.type(event).equals(type)) {
                    return event.path("musterseq").asLong();
                }
            }
        }
        throw new AssertionError(type + " is missing");
    }

    @Test
    void S02_aGangThatCanNeverFitSaysSoAtOnceAndBlocksNobody() {
        ObjectNode huge = Installation.shellJob("huge", 1, "true");
        huge.putObject("resources").put("accelerators", 64);
        String never = muster.submit(huge);
        String fits = muster.submit(Installation.shellJob("fits", 1, "true"));

        muster.awaitState(fits, "SUCCEEDED");

        JsonNode waiting = muster.job(never);
        assertThat(waiting.path("state").asText()).isEqualTo("QUEUED");
        assertThat(waiting.path("reason").path("code").asText()).isEqualTo("NEVER_FITS");
        assertThat(waiting.path("reason").path("message").asText()).contains("64");
        assertThat(muster.muster("cancel", never).exitCode()).isZero();
        muster.awaitState(never, "STOPPED");
    }

    @Test
    void tellsEveryViolationOfASpecificationAtOnce() throws IOException {
        Path file = spec("{name: 'a b', instances: 0, priority: 9, colour: blue, command: 'true'}");

        Said said = muster.muster("submit", "-f", file.toString());

        assertThat(said.exitCode()).isEqualTo(ExitCodes.FAILED);
        assertThat(said.err()).contains("name", "instances", "priority", "colour");
    }

    @Test
    void refusesBrokenYamlNamingTheLine() throws IOException {
        Path file = spec("name: x\ncommand: [unclosed\n");

        Said said = muster.muster("submit", "-f", file.toString());

        assertThat(said.exitCode()).isEqualTo(ExitCodes.USAGE);
        assertThat(said.err()).contains("not valid YAML", "line").doesNotContain("\tat ");
    }

    @Test
    void refusesEveryRequestWithoutTheToken() throws Exception {
        URI base = muster.api().base();
        try (HttpClient http = HttpClient.newHttpClient()) {
            for (String path :
                    List.of("/api/v1/jobs", "/api/v1/events", "/api/v1/nodes", "/metrics")) {
                int status =
                        http.send(
                                        HttpRequest.newBuilder(base.resolve(path)).build(),
                                        BodyHandlers.discarding())
                                .statusCode();
                assertThat(status).as(path).isEqualTo(401);
            }
            int live =
                    http.send(
                                    HttpRequest.newBuilder(base.resolve("/health/live")).build(),
                                    BodyHandlers.discarding())
                            .statusCode();
            assertThat(live).isEqualTo(200);
        }
    }

    @Test
    void saysInOneSentenceThatAConfiguredPortIsInUse() throws Exception {
        try (Installation second = new Installation()) {
            int taken = muster.api().base().getPort();
            MusterProcess process = second.run(Map.of(), "up", "-c", "gateway.port=" + taken);

            assertThat(process.awaitExit()).isNotZero();
            assertThat(process.output()).contains("port " + taken).doesNotContain("\tat ");
        }
    }

    @Test
    void saysInOneSentenceThatTheDataDirectoryCannotBeWritten() throws IOException {
        Path file = Files.writeString(folder.resolve("in-the-way"), "");

        Said said = Installation.command("up", "--data-dir", file.resolve("data").toString());

        assertThat(said.exitCode()).isEqualTo(ExitCodes.FAILED);
        assertThat(said.err()).contains("cannot be written to").doesNotContain("\tat ");
    }
}
