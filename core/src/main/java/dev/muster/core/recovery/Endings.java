package dev.muster.core.recovery;

import dev.muster.core.state.Emission;
import dev.muster.core.state.JobEnd;
import dev.muster.core.state.JobTable;
import dev.muster.core.state.PoolState;
import dev.muster.domain.Ask;
import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.ProjectId;
import dev.muster.domain.RecoveryResult;
import dev.muster.domain.RecoveryState;
import dev.muster.domain.RecoveryState.OpenIncident;
import dev.muster.domain.Tier;
import dev.muster.domain.WaitReason;

import org.jspecify.annotations.Nullable;

/**
 * Ways by which a gang leaves its nodes, each of which closes the incident that is open. The grant
 * is given back as soon as every instance is gone, also if they were before the end was decided.
 */
public final class Endings {

    private final JobTable jobs;

    public Endings(PoolState state) {
        this.jobs = state.jobs;
    }

    /**
     * The job's last act.
     *
     * @param cause null if it has done its part
     */
    public void finish(int job, @Nullable FailureCause cause, String message, Emission out) {
        out.emit(
                new Event.JobFinishing(
                        id(job), project(job), jobs.attempts.get(job), cause, message));
        releaseIfGone(job, out);
    }

    /** A user's or an operator's stop, or the job's own limit. */
    public void stop(int job, String commandId, String requestedBy, String reason, Emission out) {
        terminateIncident(job, "the job was stopped", out);
        JobId id = id(job);
        ProjectId project = project(job);
        int attempt = jobs.attempts.get(job);
        if (jobs.state(job).holdsGrant()) {
            out.emit(new Event.JobStopping(id, project, attempt, commandId, requestedBy, reason));
            releaseIfGone(job, out);
        } else {
            out.emit(new Event.JobStopped(id, project, attempt, commandId, requestedBy, reason));
        }
    }

    public void preempt(
            int job, String commandId, String requestedBy, String reason, Emission out) {
        terminateIncident(job, "the job was preempted", out);
        out.emit(
                new Event.JobPreempted(
                        id(job),
                        project(job),
                        jobs.attempts.get(job),
                        commandId,
                        requestedBy,
                        reason));
        releaseIfGone(job, out);
    }

    /** Whether the gang is to leave its nodes, whatever its instances do meanwhile. */
    public boolean leaves(int job) {
        return switch (jobs.state(job)) {
            case FINISHING, STOPPING, PREEMPTED -> true;
            case RESTARTING -> jobs.recoveries.get(job).tier() == Tier.JOB;
            case SUBMITTED, QUEUED, PREPARING, STARTING, RUNNING, SUCCEEDED, FAILED, STOPPED ->
                    false;
        };
    }

    /** Gives the grant of a gang back that is to leave and has left. */
    public void releaseIfGone(int job, Emission out) {
        if (leaves(job) && jobs.gone.get(job) == jobs.instances(job)) {
            release(job, out);
        }
    }

    private void release(int job, Emission out) {
        JobId id = id(job);
        ProjectId project = project(job);
        int attempt = jobs.attempts.get(job);
        JobEnd end = jobs.ends.get(job);
        JobState now = jobs.state(job);
        out.emit(new Event.GangReleased(id, project, attempt));
        if (now == JobState.RESTARTING || now == JobState.PREEMPTED) {
            out.emit(new Event.JobQueued(id, project, WaitReason.AWAITS_CYCLE));
        } else if (now == JobState.STOPPING) {
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

    private void terminateIncident(int job, String message, Emission out) {
        RecoveryState recovery = jobs.recoveries.get(job);
        OpenIncident open = recovery.open();
        if (open != null) {
            out.emit(
                    new Event.IncidentClosed(
                            id(job),
                            project(job),
                            jobs.attempts.get(job),
                            recovery.incidents(),
                            RecoveryResult.TERMINATED,
                            message));
        }
    }

    private Ask ask(int job) {
        return jobs.asks.get(job);
    }

    private JobId id(int job) {
        return ask(job).job();
    }

    private ProjectId project(int job) {
        return ask(job).project();
    }
}
