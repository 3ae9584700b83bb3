package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

class PoolSharesTest {

    private static final List<String> POOLS =
            IntStream.range(0, 12).mapToObj(i -> "pool-" + i).toList();

    @Test
    void givesEachSchedulerItsShare() {
        assertThat(count(PoolShares.of(members("a", "b"), List.of("x", "y")).values()))
                .isEqualTo(Map.of("a", 1, "b", 1));
        assertThat(count(PoolShares.of(members("a", "b", "c"), POOLS).values()))
                .isEqualTo(Map.of("a", 4, "b", 4, "c", 4));
    }

    @Test
    void saysTheSameInWhateverOrderItIsAsked() {
        List<PoolShares.Member> members = new ArrayList<>(members("a", "b", "c"));
        List<String> pools = new ArrayList<>(POOLS);
        Map<String, String> shares = PoolShares.of(members, pools);
        Collections.reverse(members);
        Collections.reverse(pools);
        assertThat(PoolShares.of(members, pools)).isEqualTo(shares);
    }

    @Test
    void leavesMostPoolsWhereTheyAreWhenASchedulerComes() {
        Map<String, String> before = PoolShares.of(members("a", "b"), POOLS);
        Map<String, String> after = PoolShares.of(members("a", "b", "c"), POOLS);
        long moved =
                POOLS.stream()
                        .filter(pool -> !Objects.equals(before.get(pool), after.get(pool)))
                        .count();
        assertThat(moved).isLessThanOrEqualTo(6);
    }

    @Test
    void givesAPoolOnlyToWhoMayLeadIt() {
        List<PoolShares.Member> members =
                List.of(
                        new PoolShares.Member("a", List.of()),
                        new PoolShares.Member("b", List.of("x")),
                        new PoolShares.Member("c", List.of("x")));
        Map<String, String> shares = PoolShares.of(members, List.of("x", "y", "z"));
        assertThat(shares).containsEntry("y", "a").containsEntry("z", "a");
        assertThat(shares.get("x")).isIn("a", "b", "c");
        assertThat(PoolShares.of(members.subList(1, 3), List.of("x", "y"))).containsOnlyKeys("x");
        assertThat(PoolShares.of(List.of(), List.of("x"))).isEmpty();
    }

    private static List<PoolShares.Member> members(String... ids) {
        return List.of(ids).stream().map(id -> new PoolShares.Member(id, List.of())).toList();
    }

    private static Map<String, Integer> count(Iterable<String> values) {
        Map<String, Integer> counts = new java.util.TreeMap<>();
        values.forEach(each -> counts.merge(each, 1, Integer::sum));
        return counts;
    }
}
