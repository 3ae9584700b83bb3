package dev.muster.core.cycle;

import dev.muster.core.fit.Capacity;
import dev.muster.core.fit.FitIndex;
import dev.muster.core.state.Emission;
import dev.muster.core.state.PoolState;

/**
 * One cycle: expire, order queues, nominate, fit gangs (with reserve for those that do not fit),
 * preempt, emit reasons. It costs the number of wait classes for which something has changed and of
 * gangs granted, whatever the number of jobs and nodes.
 */
public final class Cycle {

    private final PoolState state;
    private final int eventBudget;
    private final Candidates candidates;
    private final Blocked blocked;
    private final Expire expire;
    private final OrderQueues orderQueues;
    private final Nominate nominate;
    private final FitGangs fitGangs;
    private final Preempt preempt = new Preempt();
    private final EmitReasons emitReasons;

    public Cycle(
            PoolState state, FitIndex fits, Capacity capacity, Expire expire, int eventBudget) {
        this.state = state;
        this.eventBudget = eventBudget;
        this.candidates = new Candidates(state);
        this.blocked = new Blocked();
        this.expire = expire;
        this.orderQueues = new OrderQueues(state, fits);
        this.nominate = new Nominate(state, candidates);
        this.fitGangs = new FitGangs(state, fits, capacity, new Reserve());
        this.emitReasons = new EmitReasons(state, fits, capacity);
    }

    public void run(Emission out) {
        expire.run(out);
        orderQueues.run();
        nominate.run();
        blocked.clear();
        fitGangs.run(candidates, blocked, budget(out));
        preempt.run(blocked);
        emitReasons.run(blocked, budget(out));
    }

    private Budget budget(Emission out) {
        return new Budget(out, eventBudget);
    }

    /** Gangs that were tried so far, placed or not. */
    public long attempts() {
        return fitGangs.attempts();
    }

    /**
     * @throws dev.muster.domain.InvariantBroken if a parked class fits although no node gained room
     */
    public void audit() {
        if (!state.shapeChanged() && state.nodes.grown.size() == 0) {
            for (int i = 0; i < state.waiting.parked.size(); i++) {
                fitGangs.requireBlocked(state.waiting.parked.at(i));
            }
        }
    }

    /** Whether the cycle ended at its budget: some class still waits to be looked at. */
    public boolean moreToDo() {
        return state.waiting.active.size() > 0;
    }
}
