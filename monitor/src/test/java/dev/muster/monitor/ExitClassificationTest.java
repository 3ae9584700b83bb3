package dev.muster.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.Scenario;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExitClassificationTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 127, 130, 139, 143, 255})
    void aCodeOfTheCommandsOwnIsTheUsersFault(int code) {
        ExitClassification found = ExitClassification.of(3, code, "");

        assertThat(found.environment()).isFalse();
        assertThat(found.scenario()).isEqualTo(Scenario.JOB_FAILED);
        assertThat(found.message()).contains("instance 3", Integer.toString(code));
    }

    @ParameterizedTest
    @ValueSource(ints = {135, 137})
    void aKillFromOutsideIsTheEnvironmentsFault(int code) {
        assertThat(ExitClassification.of(0, code, "").environment()).isTrue();
    }

    @Test
    void aFailureLineDecidesWhateverTheCode() {
        ExitClassification found = ExitClassification.of(0, 1, "NCCL WARN Net: broken");

        assertThat(found.environment()).isTrue();
        assertThat(found.scenario()).isEqualTo(Scenario.ERROR_IN_LOG);
        assertThat(found.message()).contains("NCCL WARN Net: broken");
    }
}
