package dev.muster.scheduler;

import dev.muster.platform.run.ServiceContext;
import dev.muster.platform.sql.ServiceDirectory;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Spreads the pools over the schedulers that live: whoever leads a pool that should be another
 * one's gives it up, once it has seen for a while that the other one is there. A scheduler is in
 * the directory only when its standbys are warm, so the pool is led on at once. Where it is not, as
 * by a version that cannot fold the journal, the pool comes back and is kept longer each time.
 */
final class PoolBalance {

    private static final Logger LOG = LoggerFactory.getLogger(PoolBalance.class);

    private final ServiceContext context;
    private final Map<String, PoolLoop> loops;

    private final PoolSights sights = new PoolSights();

    PoolBalance(ServiceContext context, Map<String, PoolLoop> loops) {
        this.context = context;
        this.loops = loops;
    }

    /** To be called now and then, by one thread at a time. */
    void look() {
        context.directory()
                .find(SchedulerService.ROLE)
                .onSuccess(this::compare)
                .onFailure(e -> LOG.debug("no look at the schedulers", e));
    }

    private synchronized void compare(List<ServiceDirectory.Entry> alive) {
        Collection<PoolShares.Member> members = alive.stream().map(PoolBalance::member).toList();
        List<String> pools =
                context.pools().all().keySet().stream().map(each -> each.value()).toList();
        Map<String, String> shares = PoolShares.of(members, pools);
        loops.forEach((pool, loop) -> {
            String leader = shares.getOrDefault(pool, context.serviceId());
            if (!loop.leads() || leader.equals(context.serviceId())) {
                sights.forget(pool);
            } else if (sights.due(pool, leader, loop.unwanted(), System.nanoTime())) {
                LOG.info("pool {}: is given to {}, whose share it is", pool, leader);
                loop.giveUp();
            }
        });
    }

    private static PoolShares.Member member(ServiceDirectory.Entry entry) {
        return new PoolShares.Member(
                entry.id().substring(entry.id().indexOf('/') + 1),
                entry.pools().stream().map(each -> each.value()).toList());
    }
}
