package dev.muster.core.state;

import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.InvariantBroken;
import dev.muster.domain.JobState;
import dev.muster.domain.WaitReason;

/** Folds facts about jobs. Decides nothing: an event that contradicts the state is a fault. */
final class JobFold {

    private final PoolState state;
    private final JobTable jobs;
    private final RecoveryFold recoveryFold;

    JobFold(PoolState state) {
        this.state = state;
        this.jobs = state.jobs;
        this.recoveryFold = new RecoveryFold(state);
    }

    void apply(Event.OfJob event) {
        switch (event) {
            case Event.JobSubmitted e -> submitted(e);
            case Event.JobFailed e -> failed(e);
            case Event.JobQueued e -> queued(live(e), e.reason());
            case Event.JobWaiting e -> jobs.reasons.set(live(e), e.reason());
            case Event.GangGranted e -> granted(live(e), e);
            case Event.InstancePrepared e ->
                    prepared(of(e, e.attempt(), e.index(), e.incarnation()), e.index());
            case Event.JobStarting e -> starting(of(e, e.attempt()), e.processStart());
            case Event.InstanceStarted e ->
                    started(
                            of(e, e.attempt(), e.index(), e.incarnation()),
                            e.index(),
                            e.processStart());
            case Event.JobStarted e -> running(of(e, e.attempt()));
            case Event.InstanceExited e ->
                    exited(of(e, e.attempt(), e.index(), e.incarnation()), e.index(), e.exitCode());
            case Event.NoticeRecorded ignored -> {}
            case Event.JobFinishing e -> finishing(of(e, e.attempt()), e);
            case Event.JobStopping e -> stopping(of(e, e.attempt()), e);
            case Event.InstanceGone e ->
                    gone(of(e, e.attempt(), e.index(), e.incarnation()), e.index());
            case Event.GangReleased e -> state.grants.give(of(e, e.attempt()));
            case Event.JobSucceeded e -> ended(of(e, e.attempt()), JobState.SUCCEEDED);
            case Event.JobStopped e -> ended(of(e, e.attempt()), JobState.STOPPED);
            case Event.OfRecovery e -> recoveryFold.apply(of(e, e.attempt()), e);
        }
    }

    private int live(Event.OfJob event) {
        int job = jobs.find(event.job());
        if (job == JobTable.NONE) {
            throw new InvariantBroken(event.type() + " of the unknown job " + event.job());
        }
        return job;
    }

    private int of(Event.OfJob event, int attempt) {
        int job = live(event);
        if (jobs.attempts.get(job) != attempt) {
            throw new InvariantBroken(
                    event.type()
                            + " of attempt "
                            + attempt
                            + " of job "
                            + event.job()
                            + ", whose attempt is "
                            + jobs.attempts.get(job));
        }
        return job;
    }

    private int of(Event.OfJob event, int attempt, int index, int incarnation) {
        int job = of(event, attempt);
        boolean known = index >= 0 && index < jobs.placements.get(job).size();
        if (!known || InstanceWord.incarnation(jobs.word(job, index)) != incarnation) {
            throw new InvariantBroken(
                    event.type()
                            + " of job "
                            + event.job()
                            + " names instance "
                            + index
                            + " in incarnation "
                            + incarnation
                            + ", which is not the current one");
        }
        return job;
    }

    private void submitted(Event.JobSubmitted e) {
        if (jobs.find(e.job()) != JobTable.NONE) {
            throw new InvariantBroken("job " + e.job() + " was submitted twice");
        }
        jobs.add(e.ask(), e.name(), e.specHash(), state.seq.get());
    }

    private void queued(int job, WaitReason reason) {
        jobs.become(job, JobState.QUEUED);
        jobs.reasons.set(job, reason);
        state.waiting.add(job);
    }

    private void granted(int job, Event.GangGranted e) {
        if (e.attempt() != jobs.attempts.get(job) + 1) {
            throw new InvariantBroken(
                    "job "
                            + e.job()
                            + " was granted attempt "
                            + e.attempt()
                            + " after "
                            + jobs.attempts.get(job));
        }
        jobs.become(job, JobState.PREPARING);
        state.waiting.remove(job);
        jobs.reasons.set(job, WaitReason.AWAITS_CYCLE);
        jobs.attempts.set(job, e.attempt());
        state.grants.take(job, e.placements(), true);
        recoveryFold.newProcess(job);
    }

    private void prepared(int job, int index) {
        jobs.setWord(job, index, InstanceWord.withPrepared(jobs.word(job, index)));
        jobs.prepared.add(job, 1);
    }

    private void starting(int job, int processStart) {
        if (jobs.state(job) != JobState.RESTARTING) {
            jobs.become(job, JobState.STARTING);
        }
        jobs.processStarts.set(job, processStart);
    }

    private void started(int job, int index, int processStart) {
        jobs.setWord(job, index, InstanceWord.withStarted(jobs.word(job, index), processStart));
        jobs.started.add(job, 1);
    }

    private void running(int job) {
        jobs.become(job, JobState.RUNNING);
        state.startClock(job);
    }

    private void exited(int job, int index, int exitCode) {
        jobs.setWord(job, index, InstanceWord.withExit(jobs.word(job, index), exitCode));
        jobs.exited.add(job, 1);
    }

    private void finishing(int job, Event.JobFinishing e) {
        boolean correction = jobs.state(job) == JobState.FINISHING;
        if (correction && (e.cause() == null || jobs.ends.get(job).cause() != null)) {
            throw new InvariantBroken("job " + e.job() + " changed how it ends twice");
        }
        if (!correction) {
            recoveryFold.requireClosed(job, e);
            jobs.become(job, JobState.FINISHING);
            state.stopClock(job);
        }
        jobs.ends.set(job, new JobEnd(e.cause(), e.message(), "", ""));
    }

    private void stopping(int job, Event.JobStopping e) {
        recoveryFold.requireClosed(job, e);
        jobs.become(job, JobState.STOPPING);
        state.stopClock(job);
        jobs.ends.set(job, new JobEnd(null, e.reason(), e.commandId(), e.requestedBy()));
    }

    private void gone(int job, int index) {
        jobs.setWord(job, index, InstanceWord.withGone(jobs.word(job, index)));
        jobs.gone.add(job, 1);
    }

    private void failed(Event.JobFailed e) {
        if (e.cause() == FailureCause.UNPUBLISHABLE && jobs.find(e.job()) == JobTable.NONE) {
            return; // it never came to be here
        }
        ended(of(e, e.attempt()), JobState.FAILED);
    }

    private void ended(int job, JobState end) {
        boolean wasQueued = jobs.state(job) == JobState.QUEUED;
        if (jobs.recoveries.get(job).open() != null) {
            throw new InvariantBroken(
                    "job " + jobs.asks.get(job).job() + " became " + end + " in an incident");
        }
        jobs.become(job, end);
        if (!jobs.placements.get(job).isEmpty()) {
            throw new InvariantBroken(
                    "job " + jobs.asks.get(job).job() + " became " + end + " with a live grant");
        }
        if (wasQueued) {
            state.waiting.remove(job);
        }
        jobs.remove(job);
    }
}
