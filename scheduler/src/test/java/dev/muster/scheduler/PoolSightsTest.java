package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

class PoolSightsTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final PoolSights sights = new PoolSights();

    @Test
    void keepsAPoolUntilTheOtherOneWasSeenForLongerThanADeadOneIs() {
        assertThat(looksUntilDue(0, SECOND)).isEqualTo(8);
        assertThat(looksUntilDue(0, 100 * SECOND)).isEqualTo(3);
    }

    @Test
    void keepsAPoolThatNobodyTookTwiceAsLongEachTime() {
        assertThat(looksUntilDue(1, SECOND)).isEqualTo(15);
        assertThat(looksUntilDue(2, SECOND)).isEqualTo(29);
        assertThat(looksUntilDue(1, 100 * SECOND)).isEqualTo(6);
        assertThat(looksUntilDue(8, 100 * SECOND)).isEqualTo(3 << 8);
        assertThat(looksUntilDue(1000, 100 * SECOND)).isEqualTo(3 << 8);
    }

    @Test
    void beginsAnewWhenAnotherOneShouldHaveIt() {
        assertThat(sights.due("x", "b", 0, 0)).isFalse();
        assertThat(sights.due("x", "b", 0, 100 * SECOND)).isFalse();
        assertThat(sights.due("x", "c", 0, 200 * SECOND)).isFalse();
        assertThat(sights.due("x", "b", 0, 300 * SECOND)).isFalse();
        sights.forget("x");
        assertThat(sights.due("x", "b", 0, 400 * SECOND)).isFalse();
        assertThat(sights.due("y", "b", 0, 500 * SECOND)).isFalse();
        assertThat(sights.due("x", "b", 0, 500 * SECOND)).isFalse();
        assertThat(sights.due("x", "b", 0, 600 * SECOND)).isTrue();
    }

    private int looksUntilDue(int unwanted, long period) {
        int looks = 1;
        while (!sights.due("x", "b", unwanted, looks * period)) {
            looks++;
        }
        return looks;
    }
}
