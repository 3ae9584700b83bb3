package dev.muster.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.recovery.Fault.Origin;
import dev.muster.domain.FailureCause;
import dev.muster.domain.Scenario;
import dev.muster.domain.Tier;

import org.junit.jupiter.api.Test;

class ClassificationTest {

    @Test
    void namesTheInstanceItsCodeAndItsSignal() {
        assertThat(Classification.ofExit(1, 1)).isEqualTo("instance 1 ended with code 1");
        assertThat(Classification.ofExit(0, 139))
                .isEqualTo("instance 0 ended with code 139 (signal 11)");
    }

    @Test
    void takesAPlainCodeForTheUsersFault() {
        assertThat(Classification.ofCode("it ended").origin()).isEqualTo(Origin.USER);
    }

    @Test
    void startsWithTheTierThatCanHelp() {
        assertThat(firstFor(Scenario.ERROR_IN_LOG)).isEqualTo(Tier.PROCESS);
        assertThat(firstFor(Scenario.JOB_HANGED)).isEqualTo(Tier.PROCESS);
        assertThat(firstFor(Scenario.NODE_FAULT)).isEqualTo(Tier.JOB);
        assertThat(Classification.ofLoss(0).first()).isEqualTo(Tier.CONTAINER);
        assertThat(Classification.ofFailure(0, FailureCause.START, "no").first())
                .isEqualTo(Tier.CONTAINER);
    }

    @Test
    void knowsWhatNoRestartHelps() {
        assertThat(Classification.ofFailure(0, FailureCause.PREPARATION, "no input").origin())
                .isEqualTo(Origin.FINAL);
        assertThat(Classification.ofFailure(0, FailureCause.INSTANCE_LOST, "lost").origin())
                .isEqualTo(Origin.ENVIRONMENT);
    }

    private static Tier firstFor(Scenario scenario) {
        return Classification.ofVerdict(scenario, true, "seen").first();
    }
}
