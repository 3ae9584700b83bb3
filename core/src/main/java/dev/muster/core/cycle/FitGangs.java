package dev.muster.core.cycle;

import dev.muster.core.fit.Capacity;
import dev.muster.core.fit.FitIndex;
import dev.muster.core.fit.GangPacker;
import dev.muster.core.state.JobTable;
import dev.muster.core.state.PoolState;
import dev.muster.core.state.WaitClasses;
import dev.muster.domain.Ask;
import dev.muster.domain.Event;
import dev.muster.domain.InvariantBroken;
import dev.muster.domain.Placement;

import java.util.List;

/** Grants whole gangs, in order, to all candidates that fit (S03). */
final class FitGangs {

    private final WaitClasses waiting;
    private final JobTable jobs;
    private final Capacity capacity;
    private final GangPacker packer;
    private final Reserve reserve;
    private long attempts;

    FitGangs(PoolState state, FitIndex fits, Capacity capacity, Reserve reserve) {
        this.waiting = state.waiting;
        this.jobs = state.jobs;
        this.capacity = capacity;
        this.packer = new GangPacker(state.nodes, fits);
        this.reserve = reserve;
    }

    void run(Candidates candidates, Blocked blocked, Budget out) {
        boolean open = true;
        while (open && !candidates.isEmpty() && !out.spent()) {
            int waitClass = candidates.first();
            attempts++;
            List<Placement> placements = place(waitClass);
            if (placements.isEmpty()) {
                candidates.removeFirst();
                blocked.add(waitClass);
                open = reserve.othersMayPass(waitClass);
            } else {
                grant(waiting.head(waitClass), placements, out);
                if (waiting.size(waitClass) == 0) {
                    candidates.removeFirst();
                } else {
                    candidates.firstChanged();
                }
            }
        }
    }

    /** Gangs that were tried so far, placed or not. */
    long attempts() {
        return attempts;
    }

    void requireBlocked(int waitClass) {
        if (!place(waitClass).isEmpty()) {
            throw new InvariantBroken(
                    "a gang of " + waiting.instances(waitClass) + " is parked and would fit");
        }
    }

    private List<Placement> place(int waitClass) {
        int instances = waiting.instances(waitClass);
        return capacity.holds(waiting.signature(waitClass), instances)
                ? packer.place(waiting.signature(waitClass), instances)
                : List.of();
    }

    private void grant(int job, List<Placement> placements, Budget out) {
        Ask ask = jobs.asks.get(job);
        out.emit(
                new Event.GangGranted(
                        ask.job(), ask.project(), jobs.attempts.get(job) + 1, placements));
    }
}
