package dev.muster.core.life;

import dev.muster.core.recovery.Classification;
import dev.muster.core.recovery.Verdict;
import dev.muster.core.state.Emission;
import dev.muster.core.state.InstanceWord;
import dev.muster.core.state.JobEnd;
import dev.muster.core.state.JobTable;
import dev.muster.core.state.PoolState;
import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.Level;
import dev.muster.domain.ProjectId;
import dev.muster.domain.Report;

/**
 * The life of a gang's instances. What was observed is recorded in whatever state the job is; the
 * job's own state moves only where the table of states allows it.
 */
final class InstanceReports {

    private static final int MAX_EXIT_CODE = 255;
    private static final int FIRST_PROCESS = 1;

    private final JobTable jobs;
    private final Tally tally;

    InstanceReports(PoolState state, Tally tally) {
        this.jobs = state.jobs;
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
        if (jobs.state(job) == JobState.PREPARING
                && jobs.prepared.get(job) == jobs.instances(job)) {
            out.emit(new Event.JobStarting(i.job(), project(job), i.attempt(), FIRST_PROCESS));
        }
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
        if (jobs.state(job) == JobState.STARTING && jobs.started.get(job) == jobs.instances(job)) {
            out.emit(new Event.JobStarted(i.job(), project(job), i.attempt()));
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
        follow(
                job,
                Classification.ofExit(
                        i.index(), r.exitCode(), jobs.exited.get(job), jobs.instances(job)),
                out);
    }

    void failed(Report.InstanceFailed r, Emission out) {
        int job = current(r.instance());
        if (job == JobTable.NONE) {
            return;
        }
        InstanceRef i = r.instance();
        Verdict verdict = Classification.ofFailure(i.index(), r.cause(), r.message());
        if (ends(job)) {
            follow(job, verdict, out);
        } else if (r.cause() == FailureCause.OUTPUT_SYNC) {
            // the job ends another way already, but that results are missing has to be told
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
        if (!exited) {
            follow(job, Classification.ofLoss(i.index()), out);
        }
        if (jobs.gone.get(job) == jobs.instances(job)) {
            release(job, out);
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

    /** Moves the job as the verdict says, unless its end is decided already. */
    private void follow(int job, Verdict verdict, Emission out) {
        switch (verdict) {
            case Verdict.GoOn ignored -> {}
            case Verdict.Succeed ignored -> {
                if (jobs.state(job) == JobState.RUNNING) {
                    out.emit(
                            new Event.JobFinishing(
                                    id(job), project(job), jobs.attempts.get(job), null, ""));
                }
            }
            case Verdict.Fail fail -> {
                if (ends(job)) {
                    out.emit(
                            new Event.JobFinishing(
                                    id(job),
                                    project(job),
                                    jobs.attempts.get(job),
                                    fail.cause(),
                                    fail.message()));
                }
            }
        }
    }

    /** Whether a failure would still change how the job ends. */
    private boolean ends(int job) {
        return switch (jobs.state(job)) {
            case PREPARING, STARTING, RUNNING -> true;
            case FINISHING -> jobs.ends.get(job).cause() == null;
            case SUBMITTED, QUEUED, RESTARTING, STOPPING, PREEMPTED, SUCCEEDED, FAILED, STOPPED ->
                    false;
        };
    }

    private void release(int job, Emission out) {
        JobId id = id(job);
        ProjectId project = project(job);
        int attempt = jobs.attempts.get(job);
        JobEnd end = jobs.ends.get(job);
        JobState now = jobs.state(job);
        out.emit(new Event.GangReleased(id, project, attempt));
        if (now == JobState.STOPPING) {
            out.emit(
                    new Event.JobStopped(
                            id,
                            project,
                            attempt,
                            end.commandId(),
                            end.requestedBy(),
                            end.message()));
        } else if (end.cause() == null) {
            out.emit(new Event.JobSucceeded(id, project, attempt));
        } else {
            out.emit(new Event.JobFailed(id, project, attempt, end.cause(), end.message()));
        }
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
        if (job != JobTable.NONE && jobs.processStarts.get(job) != processStart) {
            tally.stale();
            return JobTable.NONE;
        }
        return job;
    }

    private JobId id(int job) {
        return jobs.asks.get(job).job();
    }

    private ProjectId project(int job) {
        return jobs.asks.get(job).project();
    }
}
