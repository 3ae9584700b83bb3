package dev.muster.core.recovery;

import dev.muster.core.state.InstanceWord;
import dev.muster.core.state.JobTable;
import dev.muster.core.state.NodeTable;
import dev.muster.core.state.PoolState;
import dev.muster.domain.Placement;
import dev.muster.domain.Tier;

/** Which tier is tried next: the cheapest that can help, and above the last one that did not. */
final class Ladder {

    private final JobTable jobs;
    private final NodeTable nodes;

    Ladder(PoolState state) {
        this.jobs = state.jobs;
        this.nodes = state.nodes;
    }

    /**
     * @param first the cheapest tier for the fault by itself
     */
    Tier next(int job, Tier first) {
        Tier possible = cheapest(job).atLeast(first);
        Tier reached = jobs.recoveries.get(job).reached();
        Tier next = reached == null ? possible : possible.atLeast(reached.next());
        return withinCounters(job, next);
    }

    /** What the state of the gang allows for. */
    private Tier cheapest(int job) {
        for (Placement placement : jobs.placements.get(job)) {
            if (nodes.ready.get(nodes.find(placement.node())) == 0) {
                return Tier.JOB;
            }
        }
        boolean whole = jobs.gone.get(job) == 0 && jobs.processStarts.get(job) > 0;
        return whole ? Tier.PROCESS : Tier.CONTAINER;
    }

    private Tier withinCounters(int job, Tier tier) {
        if (tier == Tier.PROCESS && jobs.processStarts.get(job) == InstanceWord.MAX_COUNT) {
            return withinCounters(job, Tier.CONTAINER);
        }
        boolean full = jobs.incarnation(job) == InstanceWord.MAX_COUNT;
        return tier == Tier.CONTAINER && full ? Tier.JOB : tier;
    }
}
