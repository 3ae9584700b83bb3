package dev.muster.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.FailureCause;

import org.junit.jupiter.api.Test;

class ClassificationTest {

    @Test
    void succeedsWhenTheLastInstanceEndsWellAndFailsAtTheFirstThatDoesNot() {
        assertThat(Classification.ofExit(0, 0, 1, 2)).isEqualTo(Verdict.GO_ON);
        assertThat(Classification.ofExit(1, 0, 2, 2)).isEqualTo(Verdict.SUCCEED);
        assertThat(Classification.ofExit(1, 1, 1, 2))
                .isEqualTo(
                        new Verdict.Fail(FailureCause.EXIT_CODE, "instance 1 ended with code 1"));
        assertThat(Classification.ofExit(0, 139, 2, 2))
                .isEqualTo(
                        new Verdict.Fail(
                                FailureCause.EXIT_CODE,
                                "instance 0 ended with code 139 (signal 11)"));
    }
}
