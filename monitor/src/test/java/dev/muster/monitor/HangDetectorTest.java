package dev.muster.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.Tier;
import dev.muster.domain.Watch;
import dev.muster.platform.kafka.ProgressRecord.Signal;

import org.junit.jupiter.api.Test;

class HangDetectorTest {

    private LiveJobs jobs = Jobs.running();

    private LiveJob job() {
        return java.util.Objects.requireNonNull(jobs.get(Jobs.JOB));
    }

    private void saw(Signal... signals) {
        for (Signal each : signals) {
            job().saw(each);
        }
    }

    @Test
    void aGangWhoseLogsAreAllSilentHangs() {
        saw(Jobs.silent(0, Jobs.THRESHOLD + 5), Jobs.silent(1, Jobs.THRESHOLD));

        assertThat(HangDetector.look(job()))
                .hasValue(new HangDetector.Hang(Jobs.THRESHOLD, Jobs.THRESHOLD));
    }

    @Test
    void oneTalkingInstanceSavesTheGang() {
        saw(Jobs.silent(0, 10 * Jobs.THRESHOLD), Jobs.silent(1, Jobs.THRESHOLD - 1));

        assertThat(HangDetector.look(job())).isEmpty();
    }

    @Test
    void anInstanceThatWasNotHeardOfProvesNothing() {
        saw(Jobs.silent(0, 10 * Jobs.THRESHOLD));

        assertThat(HangDetector.look(job())).isEmpty();
    }

    @Test
    void nothingIsAHangWithinTheStartupWindow() {
        saw(
                Jobs.signal(0, 1, Jobs.STARTUP - 1, Jobs.STARTUP - 1, ""),
                Jobs.signal(1, 1, Jobs.STARTUP + 1, Jobs.STARTUP, ""));

        assertThat(HangDetector.look(job())).isEmpty();
    }

    @Test
    void aJobWithoutAThresholdNeverHangs() {
        jobs = Jobs.running(new Watch(0, 0));
        saw(Jobs.silent(0, Long.MAX_VALUE / 2), Jobs.silent(1, Long.MAX_VALUE / 2));

        assertThat(HangDetector.look(job())).isEmpty();
    }

    @Test
    void anInstanceThatHasEndedHasNothingToSay() {
        saw(Jobs.silent(0, 1), Jobs.silent(1, 2 * Jobs.THRESHOLD));
        jobs.apply(Jobs.exited(0, 1, 0));

        assertThat(HangDetector.look(job())).isPresent();
    }

    @Test
    void whatWasSeenBelongsToOneProcessStart() {
        saw(Jobs.silent(0, 2 * Jobs.THRESHOLD), Jobs.silent(1, 2 * Jobs.THRESHOLD));
        jobs.apply(Jobs.restarting(Tier.PROCESS, 1, 2));

        assertThat(HangDetector.look(job())).isEmpty();
        assertThat(job().saw(Jobs.silent(0, 3 * Jobs.THRESHOLD))).isFalse();
    }
}
