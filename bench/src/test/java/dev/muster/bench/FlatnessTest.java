package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.bench.Flatness.Tolerance;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

class FlatnessTest {

    private static final int SAMPLES = 40;

    /** Of a run of three minutes. */
    private static final double SECONDS = 180.0 / SAMPLES;

    private static final Tolerance FILES = new Tolerance(24, 0.1);
    private static final Tolerance HEAP = new Tolerance(24, 0.25);
    private static final Tolerance BYTES_PER_JOB = new Tolerance(400, 0.3);

    private final Random random = new Random(11);

    private static double[] series(IntToDoubleFunction at) {
        return IntStream.range(0, SAMPLES).mapToDouble(at).toArray();
    }

    private static boolean flat(double[] samples, Tolerance tolerance) {
        return Flatness.ofLevel(samples, tolerance).flat();
    }

    @Test
    void noiseAroundALevelIsFlat() {
        for (int run = 0; run < 1000; run++) {
            assertThat(flat(series(_ -> 300 + 8 * random.nextGaussian()), FILES)).isTrue();
            assertThat(flat(series(_ -> 60 + 30 * random.nextDouble()), HEAP)).isTrue();
        }
    }

    @Test
    void oneFileASecondIsALeak() {
        for (int run = 0; run < 1000; run++) {
            double[] leaking = series(n -> 300 + n * SECONDS + 8 * random.nextGaussian());
            assertThat(flat(leaking, FILES)).isFalse();
        }
    }

    @Test
    void halfAMebibyteASecondIsALeak() {
        double[] leaking = series(n -> 60 + 0.5 * n * SECONDS + 10 * random.nextDouble());
        Flatness found = Flatness.ofLevel(leaking, HEAP);
        assertThat(found.flat()).isFalse();
        assertThat(found.late()).isGreaterThan(found.early() + 24);
    }

    @Test
    void whatComesDownOrSettlesWhileWarmingUpIsFlat() {
        assertThat(flat(series(n -> 500 - n), FILES)).isTrue();
        assertThat(flat(series(n -> Math.min(n, SAMPLES / 4) * 100), FILES)).isTrue();
    }

    @Test
    void aSawToothAndAFewPeaksAreFlat() {
        assertThat(flat(series(n -> 100 + 10 * (n % 5)), FILES)).isTrue();
        double[] peaks = series(_ -> 100);
        Arrays.fill(peaks, SAMPLES - 4, SAMPLES, 5_000);
        assertThat(flat(peaks, FILES)).isTrue();
    }

    @Test
    void aStepThatStaysIsALeak() {
        assertThat(flat(series(n -> n < SAMPLES * 2 / 3 ? 100 : 150), FILES)).isFalse();
    }

    @Test
    void growthWithEachJobIsFlatWhateverTheirRate() {
        double[] jobs = series(n -> n < SAMPLES / 2 ? 1_000 * n : 20_000 + 200 * n);
        double[] bytes = series(n -> 1_500 * jobs[n] + 100_000 * random.nextDouble());
        Flatness found = Flatness.ofGrowth(bytes, jobs, BYTES_PER_JOB);
        assertThat(found.flat()).isTrue();
        assertThat(found.early()).isBetween(1_300.0, 1_700.0);
    }

    @Test
    void jobsThatCostMoreAndMoreAreNotFlat() {
        double[] jobs = series(n -> 1_000 * n);
        double[] bytes = series(n -> 1_500.0 * jobs[n] + 200_000.0 * n * n);
        assertThat(Flatness.ofGrowth(bytes, jobs, BYTES_PER_JOB).flat()).isFalse();
    }

    @Test
    void aFewSamplesSayNothing() {
        assertThatThrownBy(() -> Flatness.ofLevel(new double[7], FILES))
                .isInstanceOf(BenchFailed.class)
                .hasMessageContaining("7 samples");
    }
}
