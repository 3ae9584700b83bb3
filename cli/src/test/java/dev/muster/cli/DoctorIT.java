package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

import dev.muster.cli.Installation.Said;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DoctorIT {

    private static Installation muster;
    private static MusterProcess up;

    @BeforeAll
    static void up() throws IOException {
        muster = new Installation();
        up = muster.up();
    }

    @AfterAll
    static void down() throws Exception {
        muster.close();
    }

    private static JsonNode doctor(String... settings) {
        String[] arguments = new String[2 + settings.length * 2];
        arguments[0] = "doctor";
        arguments[1] = "--json";
        for (int i = 0; i < settings.length; i++) {
            arguments[2 + 2 * i] = "-c";
            arguments[3 + 2 * i] = settings[i];
        }
        Said said = muster.muster(arguments);
        JsonNode json = Documents.json(said.out());
        assertThat(said.exitCode()).as(said.out()).isEqualTo(json.path("well").asBoolean() ? 0 : 1);
        return json;
    }

    private static Set<String> named(JsonNode doctor, String verdict) {
        Set<String> names = new TreeSet<>();
        doctor.path("checks")
                .forEach(each -> {
                    if (each.path("verdict").asText().equals(verdict)) {
                        names.add(each.path("check").asText());
                    }
                });
        return names;
    }

    @Test
    @Order(1)
    void findsARunningMusterWell() {
        org.awaitility.Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(500))
                .untilAsserted(() -> {
                    JsonNode doctor = doctor();
                    assertThat(named(doctor, "WRONG")).as(doctor.toString()).isEmpty();
                    assertThat(named(doctor, "WELL"))
                            .contains(
                                    "postgres.durable",
                                    "kafka",
                                    "store.obs",
                                    "service.scheduler/local",
                                    "service.notifier/local",
                                    "lane.gateway/local/public",
                                    "views.public",
                                    "events.public",
                                    "deliveries.age",
                                    "clock.postgres",
                                    "clock.leader.public",
                                    "disk.space",
                                    "files.limit",
                                    "jdk");
                });
    }

    @Test
    @Order(2)
    void saysValueThresholdAndWhatToDo() {
        JsonNode doctor = doctor("doctor.diskFreePercent=100", "doctor.openFiles=1000000000");

        assertThat(named(doctor, "WRONG")).contains("disk.space", "files.limit");
        for (JsonNode each : doctor.path("checks")) {
            if (each.path("verdict").asText().equals("WRONG")) {
                assertThat(each.path("measured").asText()).isNotEmpty();
                assertThat(each.path("threshold").asText()).isNotEmpty();
                assertThat(each.path("advice").asText()).isNotEmpty();
            }
        }
        assertThat(muster.muster("doctor", "-c", "doctor.diskFreePercent=100").out())
                .contains("WRONG   disk.space", "at least 100 %", "→ free space");
    }

    @Test
    @Order(2)
    void goesOnWhereNoNameOfKafkaIsKnown() {
        JsonNode doctor = doctor("kafka.bootstrap=nowhere.invalid:9092");

        assertThat(named(doctor, "WRONG")).contains("kafka");
        assertThat(named(doctor, "WELL")).contains("store.obs", "service.notifier/local");
    }

    @Test
    @Order(3)
    void looksAtAStoppedDirectoryToo() throws Exception {
        up.close();

        JsonNode doctor = doctor();

        assertThat(named(doctor, "WRONG")).as(doctor.toString()).isEmpty();
        assertThat(named(doctor, "WELL")).contains("postgres.durable", "disk.space");
        assertThat(named(doctor, "SKIPPED")).contains("kafka", "services", "lags");
    }
}
