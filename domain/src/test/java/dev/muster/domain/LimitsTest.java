package dev.muster.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;

class LimitsTest {

    @ParameterizedTest
    @EnumSource(Limit.class)
    void everyLimitHasADefaultWithinItsRangeAndASource(Limit limit) {
        assertThat(limit.byDefault()).isBetween(limit.least(), limit.greatest());
        assertThat(limit.source()).isIn("S0", "S1", "S4", "V", "D");
        assertThat(limit.meaning()).isNotEmpty();
    }

    @Test
    void keysAreUnique() {
        assertThat(Arrays.stream(Limit.values()).map(Limit::key)).doesNotHaveDuplicates();
    }

    @Test
    void refusesAValueOutsideTheRange() {
        assertThatThrownBy(() -> Limits.DEFAULTS.with(Limit.PRIORITY, 4))
                .hasMessageContaining("priority.max lies in 1..3, not 4");
    }
}
