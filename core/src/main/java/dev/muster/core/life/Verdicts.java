package dev.muster.core.life;

import dev.muster.core.recovery.Endings;
import dev.muster.core.recovery.Recovery;
import dev.muster.core.state.Emission;
import dev.muster.core.state.JobTable;
import dev.muster.core.state.PoolState;
import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.RecoveryState;
import dev.muster.domain.RecoveryState.OpenIncident;
import dev.muster.domain.Scenario;
import dev.muster.domain.Spent;

/** Takes what the monitor says of a gang, and an operator's preemption of it. */
final class Verdicts {

    private final JobTable jobs;
    private final Recovery recovery;
    private final Endings endings;
    private final Tally tally;

    Verdicts(PoolState state, Recovery recovery, Endings endings, Tally tally) {
        this.jobs = state.jobs;
        this.recovery = recovery;
        this.endings = endings;
        this.tally = tally;
    }

    void incident(Command.ReportIncident c, Emission out) {
        int job = jobs.find(c.job());
        if (moved(job, c.attempt(), c.incarnation(), c.processStart())) {
            refuseMoved(c.commandId(), c.job(), out);
            return;
        }
        if (c.index() < -1 || c.index() >= jobs.instances(job)) {
            refuse(c.commandId(), "job " + c.job() + " has no instance " + c.index(), out);
            return;
        }
        OpenIncident open = jobs.recoveries.get(job).open();
        boolean runsFreely = open == null && jobs.state(job) == JobState.RUNNING;
        if (open != null && open.awaitsVerdict() && judgesExits(c.scenario())) {
            recovery.verdict(job, c, out);
        } else if (!runsFreely || c.scenario() == Scenario.JOB_FAILED) {
            refuse(c.commandId(), "no exit of job " + c.job() + " awaits a verdict", out);
        } else if (jobs.recoveries.get(job).recorded().contains(c.scenario())) {
            refuse(
                    c.commandId(),
                    c.scenario() + " of this process start of job " + c.job() + " is known",
                    out);
        } else {
            seen(job, c, out);
        }
    }

    private static boolean judgesExits(Scenario scenario) {
        return switch (scenario) {
            case CHIP_FAULT, NODE_FAULT, JOB_FAILED, ERROR_IN_LOG -> true;
            case JOB_HANGED, JOB_SUBHEALTH -> false;
        };
    }

    private void seen(int job, Command.ReportIncident c, Emission out) {
        Ask ask = jobs.asks.get(job);
        if (c.scenario() == Scenario.JOB_HANGED) {
            out.emit(
                    new Event.JobHanged(
                            ask.job(),
                            ask.project(),
                            c.attempt(),
                            c.commandId(),
                            jobs.recoveries.get(job).incidents() + 1,
                            c.message()));
        }
        recovery.observed(job, c, out);
    }

    /** Progress for a whole window: what was in a row is not any more. */
    void progress(Command.ReportProgress c, Emission out) {
        int job = jobs.find(c.job());
        if (moved(job, c.attempt(), c.incarnation(), c.processStart())) {
            refuseMoved(c.commandId(), c.job(), out);
            return;
        }
        RecoveryState now = jobs.recoveries.get(job);
        Spent spent = now.spent();
        boolean something = now.reached() != null || !spent.equals(spent.reset());
        if (something && now.open() == null && jobs.state(job) == JobState.RUNNING) {
            Ask ask = jobs.asks.get(job);
            out.emit(new Event.RecoveryReset(ask.job(), ask.project(), c.attempt()));
        } else {
            tally.repeated();
        }
    }

    void preempt(Command.PreemptJob c, Emission out) {
        int job = jobs.find(c.job());
        if (job == JobTable.NONE) {
            refuse(c.commandId(), "no job " + c.job() + " lives in this pool", out);
        } else if (!jobs.asks.get(job).preemptible()) {
            refuse(c.commandId(), "job " + c.job() + " is not preemptible", out);
        } else {
            switch (jobs.state(job)) {
                case PREPARING, STARTING, RUNNING, RESTARTING ->
                        endings.preempt(job, c.commandId(), c.requestedBy(), c.reason(), out);
                case FINISHING, STOPPING, PREEMPTED ->
                        refuse(c.commandId(), "job " + c.job() + " leaves its nodes already", out);
                case SUBMITTED, QUEUED, SUCCEEDED, FAILED, STOPPED ->
                        refuse(c.commandId(), "job " + c.job() + " holds no nodes", out);
            }
        }
    }

    private boolean moved(int job, int attempt, int incarnation, int processStart) {
        return job == JobTable.NONE
                || !jobs.state(job).holdsGrant()
                || jobs.attempts.get(job) != attempt
                || jobs.incarnation(job) != incarnation
                || jobs.processStarts.get(job) != processStart;
    }

    private void refuseMoved(String commandId, JobId job, Emission out) {
        tally.stale();
        refuse(commandId, "job " + job + " is not any more at those counters", out);
    }

    private static void refuse(String commandId, String reason, Emission out) {
        out.emit(new Event.CommandRefused(commandId, reason));
    }
}
