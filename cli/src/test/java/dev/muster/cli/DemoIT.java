package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

import org.junit.jupiter.api.Test;

import java.util.Map;

/** The main job, as the README has it. */
class DemoIT {

    @Test
    void trainsTheSampleOnTwoInstancesAndEndsWithOneLineOfJson() throws Exception {
        try (Installation muster = new Installation()) {
            MusterProcess demo = muster.run(Map.of(), "demo", "--json");

            assertThat(demo.awaitExit()).as(demo.output()).isZero();

            JsonNode line =
                    Documents.json(
                            demo.output()
                                    .lines()
                                    .filter(each -> each.startsWith("{"))
                                    .findFirst()
                                    .orElseThrow());
            assertThat(line.path("state").asText()).isEqualTo("SUCCEEDED");
            assertThat(line.path("attempts").asInt()).isEqualTo(1);
            assertThat(line.path("placement")).hasSize(2);
            assertThat(line.path("accuracy").asDouble()).isGreaterThan(0.92);
            assertThat(line.path("outputHashes").has("model.json")).isTrue();
            assertThat(line.path("process_restarts").asInt()).isEqualTo(1);
            assertThat(line.path("resumed_from_step").asInt()).isEqualTo(200);
            assertThat(line.path("deliveries").asInt()).isEqualTo(DemoProof.told().size());
            assertThat(line.path("detect_ms").asLong()).isPositive();
            assertThat(line.path("restart_ms").asLong()).isPositive();
            assertThat(line.path("timesMillis").path("total").asLong()).isPositive();
            assertThat(demo.output())
                    .contains("accepted", "queued", "placed as attempt 1", "step=", "succeeded")
                    .contains("hung: ", "restarting at tier process", "stacks of instance 1");
            KillIT.assertSound(muster);
        }
    }
}
