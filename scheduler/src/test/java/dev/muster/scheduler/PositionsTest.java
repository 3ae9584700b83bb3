package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.LaneId;
import dev.muster.scheduler.Positions.Verdict;

import org.junit.jupiter.api.Test;

import java.util.Map;

class PositionsTest {

    private static final LaneId GATEWAY = new LaneId("gateway/g/public");
    private static final LaneId OLD = new LaneId("executor/e/public/1");
    private static final LaneId NEW = new LaneId("executor/e/public/2");

    @Test
    void takesWhatFollowsDropsRepeatsAndHoldsOutForGaps() {
        Positions positions = new Positions(Map.of(GATEWAY.value(), 7L), 0);
        assertThat(positions.take(GATEWAY, 7)).isEqualTo(Verdict.REPEAT);
        assertThat(positions.take(GATEWAY, 9)).isEqualTo(Verdict.GAP);
        assertThat(positions.take(GATEWAY, 8)).isEqualTo(Verdict.TAKEN);
        assertThat(positions.take(GATEWAY, 9)).isEqualTo(Verdict.TAKEN);
        assertThat(positions.copy()).isEqualTo(Map.of(GATEWAY.value(), 9L));
    }

    @Test
    void aLaneBeginsWithOne() {
        Positions positions = new Positions(Map.of(), 0);
        assertThat(positions.take(GATEWAY, 2)).isEqualTo(Verdict.GAP);
        assertThat(positions.take(GATEWAY, 1)).isEqualTo(Verdict.TAKEN);
    }

    @Test
    void forgetsExecutorsOfOlderEpochsAndLetsThemInNoMore() {
        Positions positions = new Positions(Map.of(), 0);
        positions.take(OLD, 1);
        positions.take(NEW, 1);
        positions.take(GATEWAY, 1);
        positions.shardTaken(2);
        assertThat(positions.copy()).isEqualTo(Map.of(NEW.value(), 1L, GATEWAY.value(), 1L));
        assertThat(positions.take(OLD, 1)).isEqualTo(Verdict.REPEAT);
        assertThat(positions.take(NEW, 2)).isEqualTo(Verdict.TAKEN);
    }

    @Test
    void remembersTheShardOverARestart() {
        assertThat(new Positions(Map.of(), 2).take(OLD, 1)).isEqualTo(Verdict.REPEAT);
    }

    @Test
    void keepsTheNewestMonitorsLaneAlone() {
        LaneId first = new LaneId("monitor/m/public/1");
        LaneId second = new LaneId("monitor/n/public/2");
        Positions positions = new Positions(Map.of(), 0);
        positions.take(first, 1);
        positions.take(second, 1);
        assertThat(positions.copy()).isEqualTo(Map.of(second.value(), 1L));
        assertThat(positions.take(first, 2)).isEqualTo(Verdict.REPEAT);
        assertThat(new Positions(positions.copy(), 0).take(first, 1)).isEqualTo(Verdict.REPEAT);
    }
}
