package dev.muster.core.state;

import dev.muster.domain.Event;
import dev.muster.domain.InvariantBroken;
import dev.muster.domain.JobState;
import dev.muster.domain.RecoveryResult;
import dev.muster.domain.RecoveryState;
import dev.muster.domain.RecoveryState.OpenIncident;
import dev.muster.domain.Scenario;
import dev.muster.domain.Spent;
import dev.muster.domain.Tier;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** Folds facts about incidents and restarts. Decides nothing, as {@link JobFold}. */
final class RecoveryFold {

    private final PoolState state;
    private final JobTable jobs;

    RecoveryFold(PoolState state) {
        this.state = state;
        this.jobs = state.jobs;
    }

    void apply(int job, Event.OfRecovery event) {
        switch (event) {
            case Event.JobHanged ignored -> {}
            case Event.IncidentOpened e -> opened(job, e);
            case Event.VerdictAwaited e -> awaited(job, e);
            case Event.JobRestarting e -> restarting(job, e);
            case Event.JobRestarted e -> restarted(job, e);
            case Event.IncidentClosed e -> closed(job, e);
            case Event.RecoveryReset ignored -> reset(job);
            case Event.JobPreempted e -> preempted(job, e);
            case Event.EvidenceKept e -> evidence(job, e);
        }
    }

    private void opened(int job, Event.IncidentOpened e) {
        RecoveryState now = jobs.recoveries.get(job);
        if (now.open() != null || e.incident() != now.incidents() + 1) {
            throw new InvariantBroken(
                    "job "
                            + e.job()
                            + " opened incident "
                            + e.incident()
                            + " after "
                            + now.incidents()
                            + (now.open() == null ? "" : ", which is open"));
        }
        OpenIncident open = new OpenIncident(e.scenario(), null, e.message(), 0);
        jobs.recoveries.set(
                job,
                new RecoveryState(e.incident(), open, now.spent(), now.reached(), now.recorded()));
        for (int index = 0; index < jobs.placements.get(job).size(); index++) {
            long word = jobs.word(job, index);
            if (InstanceWord.evidence(word)) {
                jobs.setWord(job, index, InstanceWord.withEvidence(word, false));
            }
        }
    }

    private void awaited(int job, Event.VerdictAwaited e) {
        OpenIncident open = open(job, e, e.incident());
        setOpen(job, new OpenIncident(open.scenario(), open.tier(), e.message(), e.untilMillis()));
        state.verdicts.start(job, e.untilMillis());
    }

    private void restarting(int job, Event.JobRestarting e) {
        OpenIncident open = open(job, e, e.incident());
        int incarnation = jobs.incarnation(job);
        int processStart = jobs.processStarts.get(job);
        boolean follows =
                switch (e.tier()) {
                    case PROCESS ->
                            e.incarnation() == incarnation && e.processStart() == processStart + 1;
                    case CONTAINER -> e.incarnation() == incarnation + 1 && e.processStart() == 0;
                    case JOB -> e.incarnation() == incarnation && e.processStart() == processStart;
                };
        if (!follows) {
            throw new InvariantBroken(
                    "job "
                            + e.job()
                            + " restarts by "
                            + e.tier()
                            + " to "
                            + e.incarnation()
                            + "."
                            + e.processStart()
                            + " from "
                            + incarnation
                            + "."
                            + processStart);
        }
        if (jobs.state(job) != JobState.RESTARTING) {
            jobs.become(job, JobState.RESTARTING);
            state.stopClock(job);
        }
        state.verdicts.stop(job);
        jobs.recoveries.set(
                job,
                new RecoveryState(
                        e.incident(),
                        new OpenIncident(e.scenario(), e.tier(), open.message(), 0),
                        e.spent(),
                        e.tier(),
                        List.of()));
        if (e.tier() == Tier.PROCESS) {
            jobs.restartProcesses(job, e.processStart());
        } else if (e.tier() == Tier.CONTAINER) {
            jobs.restartContainers(job, e.incarnation());
        }
    }

    private void restarted(int job, Event.JobRestarted e) {
        OpenIncident open = open(job, e, e.incident());
        if (open.tier() != e.tier() || open.awaitsVerdict()) {
            throw new InvariantBroken(
                    "job " + e.job() + " restarted by " + e.tier() + ", not as it was to");
        }
        if (jobs.state(job) == JobState.RESTARTING) {
            jobs.become(job, JobState.RUNNING);
            state.startClock(job);
        } else if (jobs.state(job) != JobState.RUNNING) {
            throw new InvariantBroken("job " + e.job() + " restarted, but is " + jobs.state(job));
        }
        setOpen(job, null);
    }

    private void closed(int job, Event.IncidentClosed e) {
        OpenIncident open = open(job, e, e.incident());
        state.verdicts.stop(job);
        RecoveryState now = jobs.recoveries.get(job);
        List<Scenario> recorded = now.recorded();
        if (e.result() == RecoveryResult.NOT_RESTARTED) {
            recorded = new ArrayList<>(recorded);
            recorded.add(open.scenario());
        }
        jobs.recoveries.set(
                job,
                new RecoveryState(now.incidents(), null, now.spent(), now.reached(), recorded));
    }

    private void reset(int job) {
        RecoveryState now = jobs.recoveries.get(job);
        Spent spent = now.spent().reset();
        jobs.recoveries.set(
                job, new RecoveryState(now.incidents(), now.open(), spent, null, now.recorded()));
    }

    private void preempted(int job, Event.JobPreempted e) {
        requireClosed(job, e);
        jobs.become(job, JobState.PREEMPTED);
        state.stopClock(job);
    }

    private void evidence(int job, Event.EvidenceKept e) {
        int known = jobs.placements.get(job).size();
        int incidents = jobs.recoveries.get(job).incidents();
        if (e.index() < 0 || e.index() >= known || e.incident() < 1 || e.incident() > incidents) {
            throw new InvariantBroken(
                    "evidence of job "
                            + e.job()
                            + " names instance "
                            + e.index()
                            + " in incident "
                            + e.incident()
                            + ", which is not known");
        }
        if (e.incident() == incidents) {
            long word = jobs.word(job, e.index());
            jobs.setWord(job, e.index(), InstanceWord.withEvidence(word, true));
        }
    }

    /** A new attempt: what was recorded of the last process start does not concern it. */
    void newProcess(int job) {
        RecoveryState now = jobs.recoveries.get(job);
        if (!now.recorded().isEmpty()) {
            jobs.recoveries.set(
                    job,
                    new RecoveryState(
                            now.incidents(), now.open(), now.spent(), now.reached(), List.of()));
        }
    }

    /** The job's way leads out of its incident: that must have been closed. */
    void requireClosed(int job, Event.OfJob event) {
        if (jobs.recoveries.get(job).open() != null) {
            throw new InvariantBroken(
                    event.type() + " of job " + event.job() + " in an open incident");
        }
    }

    private OpenIncident open(int job, Event.OfJob event, int incident) {
        RecoveryState now = jobs.recoveries.get(job);
        OpenIncident open = now.open();
        if (open == null || now.incidents() != incident) {
            throw new InvariantBroken(
                    event.type()
                            + " of job "
                            + event.job()
                            + " names incident "
                            + incident
                            + ", which is not open");
        }
        return open;
    }

    private void setOpen(int job, @Nullable OpenIncident open) {
        jobs.recoveries.set(job, jobs.recoveries.get(job).withOpen(open));
    }
}
