package dev.muster.core.cycle;

import dev.muster.core.fit.Capacity;
import dev.muster.core.fit.FitIndex;
import dev.muster.core.state.JobTable;
import dev.muster.core.state.PoolState;
import dev.muster.core.state.Signature;
import dev.muster.core.state.WaitClasses;
import dev.muster.domain.Ask;
import dev.muster.domain.Event;
import dev.muster.domain.WaitReason;

/**
 * Tells each job of a blocked class why it waits, once per kind of reason (S23), and parks the
 * class. A class that the budget leaves untold stays active.
 */
final class EmitReasons {

    private final JobTable jobs;
    private final WaitClasses waiting;
    private final FitIndex fits;
    private final Capacity capacity;

    EmitReasons(PoolState state, FitIndex fits, Capacity capacity) {
        this.jobs = state.jobs;
        this.waiting = state.waiting;
        this.fits = fits;
        this.capacity = capacity;
    }

    void run(Blocked blocked, Budget out) {
        for (int i = 0; i < blocked.size(); i++) {
            explain(blocked.at(i), out);
        }
    }

    private void explain(int waitClass, Budget out) {
        boolean never = !capacity.holds(waiting.signature(waitClass), waiting.instances(waitClass));
        waiting.setKind(
                waitClass, never ? WaitReason.Code.NEVER_FITS : WaitReason.Code.INSUFFICIENT);
        int job = waiting.unexplained(waitClass);
        if (job != WaitClasses.NONE) {
            tell(waitClass, job, reason(waitClass, never), out);
        }
        if (waiting.unexplained(waitClass) == WaitClasses.NONE) {
            waiting.park(waitClass);
        }
    }

    private void tell(int waitClass, int from, WaitReason reason, Budget out) {
        int job = from;
        while (job != WaitClasses.NONE && !out.spent()) {
            if (jobs.reasons.get(job).code() != reason.code()) {
                Ask ask = jobs.asks.get(job);
                out.emit(new Event.JobWaiting(ask.job(), ask.project(), reason));
            }
            job = waiting.next(job);
        }
        waiting.explainedUpTo(waitClass, job);
    }

    private WaitReason reason(int waitClass, boolean never) {
        Signature signature = waiting.signature(waitClass);
        int instances = waiting.instances(waitClass);
        return never
                ? capacity.neverFits(signature, instances)
                : capacity.insufficient(signature, instances, fits.total(signature));
    }
}
