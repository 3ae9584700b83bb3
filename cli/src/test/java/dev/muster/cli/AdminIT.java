package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;

import dev.muster.cli.Installation.Said;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.stream.StreamSupport;

class AdminIT {

    private static Installation muster;

    @BeforeAll
    static void up() throws IOException {
        muster = new Installation();
        muster.up("scheduler.snapshot.events=5", "scheduler.snapshot.keep=100");
    }

    @AfterAll
    static void down() throws Exception {
        muster.close();
    }

    private static JsonNode admin(String... arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = "admin";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[arguments.length + 1] = "-o";
        all[arguments.length + 2] = "json";
        Said said = muster.muster(all);
        assertThat(said.exitCode()).as(said.out() + said.err()).isZero();
        return Documents.json(said.out());
    }

    private static JsonNode item(JsonNode document, String field, String value) {
        return StreamSupport.stream(document.path("items").spliterator(), false)
                .filter(each -> each.path(field).asText().equals(value))
                .findFirst()
                .orElseThrow(() -> new AssertionError(document.toPrettyString()));
    }

    private static String hello() {
        String id = muster.submit(Installation.shellJob("hello", 1, "echo hello"));
        muster.awaitState(id, "SUCCEEDED");
        return id;
    }

    @Test
    void showsLanesWithHeadsPositionsAndOwners() {
        hello();

        JsonNode lane = item(admin("lanes"), "lane", "gateway/local/public");

        assertThat(lane.path("head").asLong()).isPositive();
        assertThat(lane.path("lag").asLong()).isZero();
        assertThat(lane.path("taken_by").asText()).isEqualTo("local");
        assertThat(admin("lanes").toString()).contains("executor/local/public/");
    }

    @Test
    void fencesALeaderOnlyWhenAskedToAndMusterGoesOn() {
        long before = item(admin("epoch"), "role", "scheduler").path("epoch").asLong();

        Said asked = muster.muster("admin", "epoch", "--pool", "public", "--bump");
        assertThat(asked.exitCode()).isEqualTo(ExitCodes.USAGE);
        assertThat(asked.err()).contains("--yes");
        assertThat(item(admin("epoch"), "role", "scheduler").path("epoch").asLong())
                .isEqualTo(before);

        admin("epoch", "--pool", "public", "--bump", "--yes");

        String id = hello();
        assertThat(muster.state(id)).isEqualTo("SUCCEEDED");
        assertThat(item(admin("epoch"), "role", "scheduler").path("epoch").asLong())
                .isGreaterThan(before + 1);
        assertThat(item(admin("epoch"), "role", "executor").path("live").asText())
                .isEqualTo("true");
        assertThat(muster.muster("admin", "epoch", "--pool", "none", "--bump", "--yes").err())
                .contains("there is no pool none");
    }

    @Test
    void replaysToAnEarlierSeqAndToTheLeadersState() {
        hello();

        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> {
                    JsonNode end = admin("replay");
                    assertThat(end.path("leader_seq").asLong()).isEqualTo(end.path("seq").asLong());
                    assertThat(end.path("findings")).isEmpty();
                    assertThat(end.path("jobs").path("SUCCEEDED").asLong()).isPositive();
                });
        JsonNode early = admin("replay", "--at", "10");
        assertThat(early.path("seq").asLong()).isBetween(1L, 10L);
        assertThat(early.path("state_hash").asText())
                .isNotEqualTo(admin("replay").path("state_hash").asText());
    }

    @Test
    void listsDeadLetters() {
        assertThat(admin("dead-letters").path("items")).isEmpty();
    }
}
