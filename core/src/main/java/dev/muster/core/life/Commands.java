package dev.muster.core.life;

import dev.muster.core.fit.Capacity;
import dev.muster.core.state.Emission;
import dev.muster.core.state.JobTable;
import dev.muster.core.state.NodeTable;
import dev.muster.core.state.PoolState;
import dev.muster.core.state.Signature;
import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.JobState;
import dev.muster.domain.NodeId;
import dev.muster.domain.WaitReason;

/** Answers commands: each with a fact that names it, or a refusal with its reason. */
public final class Commands {

    private final PoolState state;
    private final JobTable jobs;
    private final Capacity capacity;
    private final Tally tally;

    public Commands(PoolState state, Capacity capacity, Tally tally) {
        this.state = state;
        this.jobs = state.jobs;
        this.capacity = capacity;
        this.tally = tally;
    }

    public void decide(Command command, Emission out) {
        switch (command) {
            case Command.SubmitJob c -> submit(c, out);
            case Command.StopJob c -> stop(c, out);
            case Command.CordonNode c -> {
                if (knows(c.commandId(), c.node(), out)) {
                    out.emit(new Event.NodeCordoned(c.node(), c.commandId(), c.requestedBy()));
                }
            }
            case Command.UncordonNode c -> {
                if (knows(c.commandId(), c.node(), out)) {
                    out.emit(new Event.NodeUncordoned(c.node(), c.commandId(), c.requestedBy()));
                }
            }
            case Command.PreemptJob c -> refuse(c.commandId(), "comes next", out);
            case Command.ReportIncident c -> refuse(c.commandId(), "comes next", out);
            case Command.ReportProgress c -> refuse(c.commandId(), "comes next", out);
            case Command.Unpublishable c -> unpublishable(c, out);
        }
    }

    private void submit(Command.SubmitJob c, Emission out) {
        Ask ask = c.ask();
        if (jobs.find(ask.job()) != JobTable.NONE) {
            tally.repeated();
            return;
        }
        out.emit(new Event.JobSubmitted(ask, c.name(), c.specHash(), c.acceptedAtMillis()));
        Signature signature = Signature.of(ask);
        WaitReason reason =
                capacity.holds(signature, ask.instances())
                        ? WaitReason.AWAITS_CYCLE
                        : capacity.neverFits(signature, ask.instances());
        out.emit(new Event.JobQueued(ask.job(), ask.project(), reason));
    }

    private void stop(Command.StopJob c, Emission out) {
        int job = jobs.find(c.job());
        if (job == JobTable.NONE) {
            refuse(c.commandId(), "no job " + c.job() + " lives in this pool", out);
            return;
        }
        Ask ask = jobs.asks.get(job);
        int attempt = jobs.attempts.get(job);
        JobState now = jobs.state(job);
        if (now == JobState.STOPPING) {
            refuse(c.commandId(), "job " + c.job() + " is being stopped already", out);
        } else if (now == JobState.FINISHING && jobs.ends.get(job).cause() != null) {
            refuse(c.commandId(), "job " + c.job() + " has failed and is ending already", out);
        } else if (now.holdsGrant()) {
            out.emit(
                    new Event.JobStopping(
                            c.job(),
                            ask.project(),
                            attempt,
                            c.commandId(),
                            c.requestedBy(),
                            c.reason()));
        } else {
            out.emit(
                    new Event.JobStopped(
                            c.job(),
                            ask.project(),
                            attempt,
                            c.commandId(),
                            c.requestedBy(),
                            c.reason()));
        }
    }

    private void unpublishable(Command.Unpublishable c, Emission out) {
        if (jobs.find(c.job()) != JobTable.NONE) {
            tally.illegal();
            return;
        }
        out.emit(
                new Event.JobFailed(
                        c.job(), c.project(), 0, FailureCause.UNPUBLISHABLE, c.reason()));
    }

    private boolean knows(String commandId, NodeId node, Emission out) {
        if (state.nodes.find(node) != NodeTable.NONE) {
            return true;
        }
        refuse(commandId, "no node " + node + " belongs to this pool", out);
        return false;
    }

    private static void refuse(String commandId, String reason, Emission out) {
        out.emit(new Event.CommandRefused(commandId, reason));
    }
}
