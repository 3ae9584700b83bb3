package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.bench.KillPlan.AfterPause;
import dev.muster.bench.KillPlan.AtFailpoint;
import dev.muster.bench.KillPlan.AtMoment;
import dev.muster.bench.KillPlan.Blow;
import dev.muster.platform.config.Declarations;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

class KillPlanTest {

    private static final List<String> FAILPOINTS = KillPart.reachable(Declarations.allFailpoints());

    private static List<Blow> blows(long seed, int kills) {
        KillPlan plan = new KillPlan(seed, FAILPOINTS, kills);
        List<Blow> blows = new ArrayList<>();
        for (int i = 0; i < kills; i++) {
            blows.add(plan.next());
        }
        return blows;
    }

    private static List<String> failpoints(List<Blow> blows) {
        return blows.stream()
                .filter(AtFailpoint.class::isInstance)
                .map(each -> ((AtFailpoint) each).failpoint())
                .toList();
    }

    @Test
    void reachesEveryFailpointWheneverThereAreAsManyKills() {
        for (int more = 0; more < 50; more += 7) {
            assertThat(failpoints(blows(more, FAILPOINTS.size() + more)))
                    .as("%d kills more", more)
                    .containsAll(FAILPOINTS);
        }
    }

    @Test
    void takesNoFailpointTwiceBeforeAllWereTaken() {
        List<String> first =
                failpoints(blows(3, 4 * FAILPOINTS.size())).subList(0, FAILPOINTS.size());

        assertThat(first).doesNotHaveDuplicates();
    }

    @Test
    void givesTheSameKillsForTheSameSeed() {
        assertThat(blows(5, 200)).isEqualTo(blows(5, 200)).isNotEqualTo(blows(6, 200));
    }

    @Test
    void killsPairsOfDifferentProcessesAndEachProcessAlone() {
        HashSet<KillPart> alone = new HashSet<>();
        int pairs = 0;
        for (Blow each : blows(7, 400)) {
            List<KillPart> parts =
                    switch (each) {
                        case AtMoment at -> at.parts();
                        case AfterPause after -> after.parts();
                        case AtFailpoint at ->
                                at.also()
                                        .map(other -> List.of(at.part(), other))
                                        .orElse(List.of(at.part()));
                    };
            assertThat(parts).doesNotHaveDuplicates();
            if (parts.size() == 1) {
                alone.addAll(parts);
            } else {
                pairs++;
            }
        }
        assertThat(alone).containsExactlyInAnyOrder(KillPart.values());
        assertThat(pairs).isGreaterThan(40);
    }
}
