package dev.muster.core.recovery;

import dev.muster.core.recovery.Budgets.Charge;
import dev.muster.core.recovery.Fault.Origin;
import dev.muster.core.state.Emission;
import dev.muster.core.state.JobTable;
import dev.muster.core.state.PoolState;
import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.JobState;
import dev.muster.domain.NodeId;
import dev.muster.domain.Placement;
import dev.muster.domain.RecoveryResult;
import dev.muster.domain.RecoveryState;
import dev.muster.domain.RecoveryState.OpenIncident;
import dev.muster.domain.RestartPolicy;
import dev.muster.domain.Scenario;
import dev.muster.domain.Tier;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.SequencedSet;

/**
 * What follows from a fault: the job's end, or a restart by the cheapest tier that can help. Of a
 * job without auto-restart the first failure is the end, and no incident is opened for it.
 */
public final class Recovery {

    private static final int ALL = -1;

    private final PoolState state;
    private final JobTable jobs;
    private final RecoverySettings settings;
    private final Budgets budgets;
    private final Ladder ladder;
    private final Endings endings;

    public Recovery(PoolState state, RecoverySettings settings, Endings endings) {
        this.state = state;
        this.jobs = state.jobs;
        this.settings = settings;
        this.budgets = new Budgets(settings);
        this.ladder = new Ladder(state);
        this.endings = endings;
    }

    /** An instance of a gang that is to work ended with a code other than 0. */
    public void exited(int job, int index, int exitCode, Emission out) {
        String message = Classification.ofExit(index, exitCode);
        OpenIncident open = open(job);
        if (jobs.state(job) == JobState.FINISHING || !policy(job).autoRestart()) {
            endings.finish(job, FailureCause.EXIT_CODE, message, out);
        } else if (open == null || !open.awaitsVerdict()) {
            if (open == null) {
                openIncident(job, Scenario.JOB_FAILED, index, message, out);
            }
            out.emit(
                    new Event.VerdictAwaited(
                            ask(job).job(),
                            ask(job).project(),
                            jobs.attempts.get(job),
                            incident(job),
                            out.now() + settings.classifyMillis(),
                            message));
        }
    }

    /** Something other than the command of an instance failed. */
    public void failed(int job, int index, FailureCause cause, String message, Emission out) {
        fault(job, index, Classification.ofFailure(index, cause, message), out);
    }

    /** An instance vanished without an exit. */
    public void lost(int job, int index, Emission out) {
        fault(job, index, Classification.ofLoss(index), out);
    }

    private void fault(int job, int index, Fault fault, Emission out) {
        boolean finishing = jobs.state(job) == JobState.FINISHING;
        if (finishing || !policy(job).autoRestart()) {
            endings.finish(job, fault.cause(), fault.message(), out);
            return;
        }
        if (open(job) == null) {
            openIncident(job, fault.scenario(), index, fault.message(), out);
        }
        judge(job, fault, out);
    }

    /** Every instance runs: if that was to be reached by a restart, it was one. */
    public void allRun(int job, Emission out) {
        OpenIncident open = open(job);
        if (open != null && open.tier() != null && !open.awaitsVerdict() && !endings.leaves(job)) {
            out.emit(
                    new Event.JobRestarted(
                            ask(job).job(),
                            ask(job).project(),
                            jobs.attempts.get(job),
                            incident(job),
                            open.tier()));
        }
    }

    /** The monitor's word on an exit that awaits it. */
    public void verdict(int job, Command.ReportIncident c, Emission out) {
        String exit = Objects.requireNonNull(open(job)).message();
        String message = c.message().isBlank() ? exit : exit + ": " + c.message();
        judge(job, Classification.ofVerdict(c.scenario(), c.environment(), message), out);
    }

    /** The time for verdicts is over for some: their exit codes alone speak. */
    public void expire(Emission out) {
        while (state.verdicts.firstMillis() <= out.now()) {
            int job = state.verdicts.first();
            String message = Objects.requireNonNull(open(job)).message();
            judge(job, Classification.ofCode(message), out);
        }
    }

    /** The monitor saw something wrong with a job that runs. */
    public void observed(int job, Command.ReportIncident c, Emission out) {
        openIncident(job, c.scenario(), c.index(), c.message(), out);
        Fault fault = Classification.ofVerdict(c.scenario(), c.environment(), c.message());
        String whyNot = whyNot(policy(job), fault);
        if (whyNot.isEmpty()) {
            judge(job, fault, out);
        } else {
            close(job, RecoveryResult.NOT_RESTARTED, whyNot, out);
        }
    }

    /** Why a job that still runs is let alone, empty if it is not. */
    private static String whyNot(RestartPolicy policy, Fault fault) {
        if (!policy.autoRestart()) {
            return "autoRestart is off";
        }
        if (fault.origin() == Origin.HANG) {
            return policy.onHang() ? "" : "hangRestart is off";
        }
        boolean disturbs =
                fault.origin() == Origin.ENVIRONMENT && fault.scenario() != Scenario.JOB_SUBHEALTH;
        return disturbs ? "" : "the job runs on";
    }

    private void judge(int job, Fault fault, Emission out) {
        RestartPolicy policy = policy(job);
        boolean user = fault.origin() == Origin.USER;
        if (fault.origin() == Origin.FINAL || (user && !policy.unconditional())) {
            String why =
                    user
                            ? "a plain exit code, and unconditionalRestart is off"
                            : "no restart helps";
            close(job, RecoveryResult.FAILED, why, out);
            endings.finish(job, fault.cause(), fault.message(), out);
            return;
        }
        Tier tier = ladder.next(job, fault.first());
        RecoveryState recovery = jobs.recoveries.get(job);
        switch (budgets.charge(policy, recovery.spent(), fault.origin(), tier)) {
            case Charge.Exhausted(String budget) -> {
                close(job, RecoveryResult.QUOTA_EXCEEDED, budget, out);
                endings.finish(job, fault.cause(), fault.message() + "; " + budget, out);
            }
            case Charge.Granted granted -> restart(job, tier, fault.scenario(), granted, out);
        }
    }

    private void restart(
            int job, Tier tier, Scenario scenario, Charge.Granted granted, Emission out) {
        int incarnation = jobs.incarnation(job);
        int processStart = jobs.processStarts.get(job);
        out.emit(
                new Event.JobRestarting(
                        ask(job).job(),
                        ask(job).project(),
                        jobs.attempts.get(job),
                        incident(job),
                        tier,
                        scenario,
                        tier == Tier.CONTAINER ? incarnation + 1 : incarnation,
                        switch (tier) {
                            case PROCESS -> processStart + 1;
                            case CONTAINER -> 0;
                            case JOB -> processStart;
                        },
                        granted.after()));
        endings.releaseIfGone(job, out);
    }

    private void close(int job, RecoveryResult result, String message, Emission out) {
        out.emit(
                new Event.IncidentClosed(
                        ask(job).job(),
                        ask(job).project(),
                        jobs.attempts.get(job),
                        incident(job),
                        result,
                        message));
    }

    private void openIncident(int job, Scenario scenario, int index, String message, Emission out) {
        List<Integer> instances = new ArrayList<>();
        SequencedSet<NodeId> nodes = new LinkedHashSet<>();
        for (Placement placement : jobs.placements.get(job)) {
            if (index == ALL || index == placement.index()) {
                instances.add(placement.index());
                nodes.add(placement.node());
            }
        }
        out.emit(
                new Event.IncidentOpened(
                        ask(job).job(),
                        ask(job).project(),
                        jobs.attempts.get(job),
                        incident(job) + 1,
                        scenario,
                        instances,
                        List.copyOf(nodes),
                        message));
    }

    private @Nullable OpenIncident open(int job) {
        return jobs.recoveries.get(job).open();
    }

    /** Number of the latest one. */
    private int incident(int job) {
        return jobs.recoveries.get(job).incidents();
    }

    private RestartPolicy policy(int job) {
        return ask(job).restart();
    }

    private Ask ask(int job) {
        return jobs.asks.get(job);
    }
}
