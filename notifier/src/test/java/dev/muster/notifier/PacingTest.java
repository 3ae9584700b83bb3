package dev.muster.notifier;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Backoff and circuit. */
class PacingTest {

    private final Backoff longest = new Backoff(1_000, 60_000, bound -> bound - 1);
    private final Backoff shortest = new Backoff(1_000, 60_000, _ -> 0);

    @Test
    void pausesDoubleUpToTheirLimitAndAreDrawnFromTheWholeRange() {
        assertThat(longest.millis(1, 0)).isEqualTo(1_000);
        assertThat(longest.millis(2, 0)).isEqualTo(2_000);
        assertThat(longest.millis(6, 0)).isEqualTo(32_000);
        assertThat(longest.millis(7, 0)).isEqualTo(60_000);
        assertThat(longest.millis(Integer.MAX_VALUE, 0)).isEqualTo(60_000);
        assertThat(shortest.millis(6, 0)).isZero();
    }

    @Test
    void waitsAtLeastAsLongAsTheTargetAskedForWithinItsLimit() {
        assertThat(shortest.millis(1, 5_000)).isEqualTo(5_000);
        assertThat(shortest.millis(1, 999_000)).isEqualTo(60_000);
    }

    private final Circuit circuit =
            new Circuit(new Circuit.Rule(3, 1_000, 4_000, bound -> bound - 1));

    @Test
    void opensAfterFailuresInARowAlone() {
        assertThat(circuit.failed(0)).isFalse();
        assertThat(circuit.failed(0)).isFalse();
        circuit.succeeded();
        assertThat(circuit.failed(0)).isFalse();
        assertThat(circuit.failed(0)).isFalse();
        assertThat(circuit.failed(0)).isTrue();
        assertThat(circuit.state()).isEqualTo(Circuit.State.OPEN);
    }

    @Test
    void isProbedAfterItsTimeAndClosesOrOpensForLonger() {
        open(0);
        assertThat(circuit.halfOpen(999)).isFalse();
        assertThat(circuit.halfOpen(1_000)).isTrue();
        assertThat(circuit.halfOpen(1_000)).as("one probe at a time").isFalse();
        assertThat(circuit.failed(1_000)).isTrue();
        assertThat(circuit.halfOpen(2_999)).isFalse();
        assertThat(circuit.halfOpen(3_000)).isTrue();
        assertThat(circuit.failed(3_000)).isTrue();
        assertThat(circuit.halfOpen(7_000)).isTrue();
        assertThat(circuit.failed(7_000)).isTrue();
        assertThat(circuit.halfOpen(11_000)).as("4 s at most").isTrue();
        assertThat(circuit.succeeded()).isTrue();
        assertThat(circuit.state()).isEqualTo(Circuit.State.CLOSED);
        open(11_000);
        assertThat(circuit.halfOpen(12_000)).as("from the beginning").isTrue();
    }

    @Test
    void aLateFailureChangesNothingWhileItIsOpen() {
        open(0);
        assertThat(circuit.failed(900)).isFalse();
        assertThat(circuit.halfOpen(1_000)).isTrue();
    }

    private void open(long now) {
        for (int i = 0; i < 3; i++) {
            boolean _ = circuit.failed(now);
        }
    }
}
