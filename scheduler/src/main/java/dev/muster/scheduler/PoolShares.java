package dev.muster.scheduler;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/**
 * Which scheduler should lead which pool: each pool goes to the scheduler that it draws first, as
 * long as that one has no more than its share. All who know the same schedulers and pools come to
 * the same answer, and when one comes or goes, few pools move.
 */
final class PoolShares {

    /**
     * A scheduler that is alive.
     *
     * @param pools that it may lead, none for all
     */
    record Member(String id, List<String> pools) {

        boolean mayLead(String pool) {
            return pools.isEmpty() || pools.contains(pool);
        }
    }

    private PoolShares() {}

    /** Pool → who should lead it; a pool that nobody may lead is not in it. */
    static Map<String, String> of(Collection<Member> members, Collection<String> pools) {
        Map<String, String> shares = new TreeMap<>();
        if (members.isEmpty()) {
            return shares;
        }
        int most = (pools.size() + members.size() - 1) / members.size();
        Map<String, Integer> taken = new TreeMap<>();
        for (String pool : new TreeSet<>(pools)) {
            List<Member> drawn =
                    members.stream()
                            .filter(each -> each.mayLead(pool))
                            .sorted(
                                    Comparator.comparingLong((Member each) -> lot(pool, each.id()))
                                            .thenComparing(Member::id))
                            .toList();
            if (drawn.isEmpty()) {
                continue;
            }
            String leader =
                    drawn.stream()
                            .map(Member::id)
                            .filter(id -> taken.getOrDefault(id, 0) < most)
                            .findFirst()
                            .orElse(drawn.getFirst().id());
            taken.merge(leader, 1, Integer::sum);
            shares.put(pool, leader);
        }
        return shares;
    }

    private static long lot(String pool, String id) {
        CRC32C lot = new CRC32C();
        lot.update((pool + "\n" + id).getBytes(StandardCharsets.UTF_8));
        return lot.getValue();
    }
}
