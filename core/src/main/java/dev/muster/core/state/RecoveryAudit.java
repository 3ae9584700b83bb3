package dev.muster.core.state;

import static dev.muster.core.state.Audit.require;

import dev.muster.domain.JobId;
import dev.muster.domain.RecoveryState;
import dev.muster.domain.RecoveryState.OpenIncident;
import dev.muster.domain.RestartPolicy;
import dev.muster.domain.Spent;
import dev.muster.domain.Tier;

/** Compares incidents, counters and clocks of verdicts with the jobs' states. */
final class RecoveryAudit {

    private final PoolState state;
    private final JobTable jobs;

    RecoveryAudit(PoolState state) {
        this.state = state;
        this.jobs = state.jobs;
    }

    void run() {
        int awaiting = 0;
        for (int job = jobs.first(); job != JobTable.NONE; job = jobs.after(job)) {
            awaiting += checkClock(job) ? 1 : 0;
            checkIncident(job);
            checkBudgets(job);
            checkCounters(job);
        }
        require(awaiting == state.verdicts.size(), "clocks of verdicts that nobody awaits");
    }

    private boolean checkClock(int job) {
        OpenIncident open = jobs.recoveries.get(job).open();
        long until = open == null ? 0 : open.verdictByMillis();
        require(
                (until != 0) == state.verdicts.contains(job),
                "the verdict on job " + id(job) + " is not awaited as its incident says");
        require(
                until == 0
                        || (until == state.verdicts.millis(job)
                                && until >= state.verdicts.firstMillis()),
                "the time of the verdict on job " + id(job) + " is not that of its incident");
        return until != 0;
    }

    private void checkIncident(int job) {
        RecoveryState recovery = jobs.recoveries.get(job);
        OpenIncident open = recovery.open();
        if (open == null) {
            return;
        }
        boolean fits =
                switch (jobs.state(job)) {
                    case QUEUED -> open.tier() == Tier.JOB && !open.awaitsVerdict();
                    case PREPARING -> !open.awaitsVerdict();
                    case STARTING, RUNNING -> true;
                    case RESTARTING -> open.tier() != null;
                    case SUBMITTED, FINISHING, STOPPING, PREEMPTED, SUCCEEDED, FAILED, STOPPED ->
                            false;
                };
        require(
                fits && recovery.incidents() > 0,
                "job " + id(job) + " is " + jobs.state(job) + " in an open incident");
    }

    private void checkBudgets(int job) {
        RecoveryState recovery = jobs.recoveries.get(job);
        RestartPolicy policy = jobs.asks.get(job).restart();
        Spent spent = recovery.spent();
        boolean within =
                policy.autoRestart()
                        ? spent.restarts() <= policy.maxRestarts()
                                && (policy.unconditional() || spent.unconditionalInRow() == 0)
                                && (policy.onHang() || spent.hangInRow() == 0)
                        : spent.equals(Spent.NONE)
                                && recovery.reached() == null
                                && recovery.tier() == null;
        require(within, "job " + id(job) + " spent more on restarts than it asked for");
    }

    private void checkCounters(int job) {
        int size = jobs.placements.get(job).size();
        int processStart = jobs.processStarts.get(job);
        for (int index = 0; index < size; index++) {
            long word = jobs.word(job, index);
            int started = InstanceWord.startedProcess(word);
            require(
                    InstanceWord.incarnation(word) == jobs.incarnation(job)
                            && (started == 0 || started == processStart)
                            && (InstanceWord.exitCode(word) < 0 || started > 0),
                    "instance " + index + " of job " + id(job) + " is not at the gang's counters");
        }
    }

    private JobId id(int job) {
        return jobs.asks.get(job).job();
    }
}
