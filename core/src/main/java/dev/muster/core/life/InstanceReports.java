package dev.muster.core.life;

import dev.muster.core.recovery.Endings;
import dev.muster.core.recovery.Recovery;
import dev.muster.core.state.Emission;
import dev.muster.core.state.InstanceWord;
import dev.muster.core.state.JobTable;
import dev.muster.core.state.PoolState;
import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobState;
import dev.muster.domain.Level;
import dev.muster.domain.ProjectId;
import dev.muster.domain.Report;
import dev.muster.domain.Tier;

/**
 * The life of a gang's instances. What was observed is recorded in whatever state the job is; the
 * job's own state moves only where the table of states allows it.
 */
final class InstanceReports {

    private static final int MAX_EXIT_CODE = 255;
    private static final int FIRST_PROCESS = 1;

    private final JobTable jobs;
    private final Recovery recovery;
    private final Endings endings;
    private final Tally tally;

    InstanceReports(PoolState state, Recovery recovery, Endings endings, Tally tally) {
        this.jobs = state.jobs;
        this.recovery = recovery;
        this.endings = endings;
        this.tally = tally;
    }

    void prepared(Report.InstancePrepared r, Emission out) {
        int job = current(r.instance());
        if (job == JobTable.NONE) {
            return;
        }
        InstanceRef i = r.instance();
        if (InstanceWord.prepared(jobs.word(job, i.index()))) {
            tally.repeated();
            return;
        }
        out.emit(
                new Event.InstancePrepared(
                        i.job(), project(job), i.attempt(), i.index(), i.incarnation()));
        if (awaitsPreparation(job) && jobs.prepared.get(job) == jobs.instances(job)) {
            out.emit(new Event.JobStarting(i.job(), project(job), i.attempt(), FIRST_PROCESS));
        }
    }

    private boolean awaitsPreparation(int job) {
        return jobs.state(job) == JobState.PREPARING
                || (jobs.state(job) == JobState.RESTARTING
                        && jobs.recoveries.get(job).tier() == Tier.CONTAINER);
    }

    void started(Report.InstanceStarted r, Emission out) {
        int job = currentProcess(r.instance(), r.processStart());
        if (job == JobTable.NONE) {
            return;
        }
        long word = jobs.word(job, r.instance().index());
        if (InstanceWord.startedProcess(word) == r.processStart()) {
            tally.repeated();
            return;
        }
        recordStart(job, r.instance(), r.processStart(), out);
    }

    private void recordStart(int job, InstanceRef i, int processStart, Emission out) {
        out.emit(
                new Event.InstanceStarted(
                        i.job(),
                        project(job),
                        i.attempt(),
                        i.index(),
                        i.incarnation(),
                        processStart));
        if (jobs.started.get(job) == jobs.instances(job)) {
            if (jobs.state(job) == JobState.STARTING) {
                out.emit(new Event.JobStarted(i.job(), project(job), i.attempt()));
            }
            recovery.allRun(job, out);
        }
    }

    void exited(Report.InstanceExited r, Emission out) {
        int job = currentProcess(r.instance(), r.processStart());
        if (job == JobTable.NONE) {
            return;
        }
        InstanceRef i = r.instance();
        if (r.exitCode() < 0 || r.exitCode() > MAX_EXIT_CODE) {
            tally.illegal();
            return;
        }
        if (InstanceWord.startedProcess(jobs.word(job, i.index())) != r.processStart()) {
            // the executor was away when the command started; that it ended says that it had
            recordStart(job, i, r.processStart(), out);
        } else if (InstanceWord.exitCode(jobs.word(job, i.index())) >= 0) {
            tally.repeated();
            return;
        }
        out.emit(
                new Event.InstanceExited(
                        i.job(),
                        project(job),
                        i.attempt(),
                        i.index(),
                        i.incarnation(),
                        r.processStart(),
                        r.exitCode()));
        if (r.exitCode() != 0 && ends(job)) {
            recovery.exited(job, i.index(), r.exitCode(), out);
        } else if (jobs.state(job) == JobState.RUNNING
                && jobs.exited.get(job) == jobs.instances(job)
                && jobs.recoveries.get(job).open() == null) {
            endings.finish(job, null, "", out);
        }
    }

    void failed(Report.InstanceFailed r, Emission out) {
        int job = current(r.instance());
        if (job == JobTable.NONE) {
            return;
        }
        InstanceRef i = r.instance();
        if (ends(job)) {
            recovery.failed(job, i.index(), r.cause(), r.message(), out);
        } else if (r.cause() == FailureCause.OUTPUT_SYNC) {
            // the gang leaves anyway, but that results are missing has to be told
            out.emit(
                    new Event.NoticeRecorded(
                            i.job(),
                            project(job),
                            i.attempt(),
                            i.index(),
                            Level.WARNING,
                            r.message()));
        } else {
            tally.illegal();
        }
    }

    void gone(Report.InstanceGone r, Emission out) {
        int job = current(r.instance());
        if (job == JobTable.NONE) {
            return;
        }
        InstanceRef i = r.instance();
        boolean exited = InstanceWord.exitCode(jobs.word(job, i.index())) >= 0;
        out.emit(
                new Event.InstanceGone(
                        i.job(), project(job), i.attempt(), i.index(), i.incarnation()));
        if (!exited && ends(job)) {
            recovery.lost(job, i.index(), out);
        } else {
            endings.releaseIfGone(job, out);
        }
    }

    void evidence(Report.EvidenceKept r, Emission out) {
        InstanceRef i = r.instance();
        int job = jobs.find(i.job());
        if (job == JobTable.NONE
                || jobs.attempts.get(job) != i.attempt()
                || !jobs.state(job).holdsGrant()) {
            tally.stale();
            return;
        }
        int incidents = jobs.recoveries.get(job).incidents();
        if (i.index() >= jobs.instances(job)
                || i.incarnation() > jobs.incarnation(job)
                || r.incident() < 1
                || r.incident() > incidents) {
            tally.illegal();
        } else if (r.incident() == incidents && InstanceWord.evidence(jobs.word(job, i.index()))) {
            tally.repeated();
        } else {
            out.emit(
                    new Event.EvidenceKept(
                            i.job(),
                            project(job),
                            i.attempt(),
                            i.index(),
                            r.incident(),
                            r.location(),
                            r.processStart()));
        }
    }

    void notice(Report.NoticeRaised r, Emission out) {
        int job = current(r.instance());
        if (job != JobTable.NONE) {
            InstanceRef i = r.instance();
            out.emit(
                    new Event.NoticeRecorded(
                            i.job(), project(job), i.attempt(), i.index(), r.level(), r.message()));
        }
    }

    /** Whether a failure would still change how the job ends. */
    private boolean ends(int job) {
        return switch (jobs.state(job)) {
            case PREPARING, STARTING, RUNNING -> true;
            case RESTARTING -> !endings.leaves(job);
            case FINISHING -> jobs.ends.get(job).cause() == null;
            case SUBMITTED, QUEUED, STOPPING, PREEMPTED, SUCCEEDED, FAILED, STOPPED -> false;
        };
    }

    /**
     * The job if the instance is one of its live grant and not gone, {@link JobTable#NONE} else.
     */
    private int current(InstanceRef i) {
        int job = jobs.find(i.job());
        if (job == JobTable.NONE
                || jobs.attempts.get(job) != i.attempt()
                || !jobs.state(job).holdsGrant()) {
            tally.stale();
            return JobTable.NONE;
        }
        if (i.index() >= jobs.instances(job)) {
            tally.illegal();
            return JobTable.NONE;
        }
        long word = jobs.word(job, i.index());
        if (InstanceWord.incarnation(word) != i.incarnation() || InstanceWord.gone(word)) {
            tally.stale();
            return JobTable.NONE;
        }
        return job;
    }

    private int currentProcess(InstanceRef i, int processStart) {
        int job = current(i);
        if (job != JobTable.NONE
                && (processStart < FIRST_PROCESS || jobs.processStarts.get(job) != processStart)) {
            tally.stale();
            return JobTable.NONE;
        }
        return job;
    }

    private ProjectId project(int job) {
        return jobs.asks.get(job).project();
    }
}
