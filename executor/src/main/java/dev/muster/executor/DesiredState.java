package dev.muster.executor;

import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.PoolSnapshot;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The pool's live grants, folded from its facts in order of seq. Pure: the same facts give the same
 * state, and a fact that repeats or is of an older attempt changes nothing. Of one thread.
 */
public final class DesiredState {

    /** Facts that concern an executor; others need not even be decoded. */
    private static final Set<String> TYPES =
            Set.of(
                    "JobSubmitted",
                    "GangGranted",
                    "InstancePrepared",
                    "JobStarting",
                    "InstanceStarted",
                    "InstanceExited",
                    "JobFinishing",
                    "JobStopping",
                    "JobRestarting",
                    "JobPreempted",
                    "InstanceGone",
                    "GangReleased",
                    "JobSucceeded",
                    "JobFailed",
                    "JobStopped");

    /** Of jobs that wait: their grant may come. */
    private final Map<JobId, String> specHashes = new HashMap<>();

    private final Map<JobId, DesiredJob> granted = new HashMap<>();

    /** Whether a fact of this type can change the state. */
    public static boolean concerns(String type) {
        return TYPES.contains(type);
    }

    public static DesiredState of(PoolSnapshot snapshot) {
        DesiredState state = new DesiredState();
        for (JobSnapshot each : snapshot.jobs()) {
            JobId job = each.ask().job();
            state.specHashes.put(job, each.specHash());
            if (each.state().holdsGrant() && !each.placements().isEmpty()) {
                state.granted.put(job, DesiredJob.of(each));
            }
        }
        return state;
    }

    Collection<DesiredJob> jobs() {
        return granted.values();
    }

    /** Null without a live grant. */
    @Nullable DesiredJob job(JobId job) {
        return granted.get(job);
    }

    /**
     * Folds the next fact.
     *
     * @return the job whose grant it concerns, null for none
     */
    @Nullable JobId apply(Event event) {
        return switch (event) {
            case Event.JobSubmitted e -> {
                specHashes.put(e.job(), e.specHash());
                yield null;
            }
            case Event.GangGranted e -> granted(e);
            case Event.InstancePrepared e ->
                    note(e.job(), e.attempt(), job -> prepared(job, e.index(), e.incarnation()));
            case Event.InstanceStarted e ->
                    note(e.job(), e.attempt(), job -> prepared(job, e.index(), e.incarnation()));
            case Event.InstanceExited e ->
                    note(e.job(), e.attempt(), job -> prepared(job, e.index(), e.incarnation()));
            case Event.InstanceGone e ->
                    note(
                            e.job(),
                            e.attempt(),
                            job -> job.note(e.index(), e.incarnation(), DesiredInstance::withGone));
            case Event.JobStarting e ->
                    note(e.job(), e.attempt(), job -> job.start(e.processStart()));
            case Event.JobFinishing e -> note(e.job(), e.attempt(), DesiredJob::end);
            case Event.JobStopping e -> note(e.job(), e.attempt(), DesiredJob::end);
            case Event.JobPreempted e -> note(e.job(), e.attempt(), DesiredJob::end);
            case Event.JobRestarting e -> note(e.job(), e.attempt(), job -> job.restart(e));
            case Event.GangReleased e -> released(e.job(), e.attempt());
            case Event.JobSucceeded e -> ended(e.job());
            case Event.JobFailed e -> ended(e.job());
            case Event.JobStopped e -> ended(e.job());
            case Event.JobQueued _,
                    Event.JobWaiting _,
                    Event.JobStarted _,
                    Event.NoticeRecorded _,
                    Event.JobHanged _,
                    Event.IncidentOpened _,
                    Event.VerdictAwaited _,
                    Event.JobRestarted _,
                    Event.IncidentClosed _,
                    Event.RecoveryReset _,
                    Event.EvidenceKept _,
                    Event.OfNode _,
                    Event.CommandRefused _,
                    Event.LeaderTookOver _,
                    Event.ShardOwned _,
                    Event.OutageObserved _,
                    Event.InputsAbsorbed _ ->
                    null;
        };
    }

    private @Nullable JobId granted(Event.GangGranted e) {
        DesiredJob known = granted.get(e.job());
        if (known == null || known.attempt() < e.attempt()) {
            String hash = specHashes.getOrDefault(e.job(), "");
            granted.put(e.job(), DesiredJob.granted(e.job(), e.attempt(), hash, e.placements()));
        }
        return e.job();
    }

    private static void prepared(DesiredJob job, int index, int incarnation) {
        job.note(index, incarnation, DesiredInstance::withPrepared);
    }

    private @Nullable JobId note(JobId id, int attempt, Consumer<DesiredJob> fact) {
        DesiredJob job = granted.get(id);
        if (job == null || job.attempt() != attempt) {
            return null;
        }
        fact.accept(job);
        return id;
    }

    private @Nullable JobId released(JobId id, int attempt) {
        DesiredJob job = granted.get(id);
        if (job == null || job.attempt() != attempt) {
            return null;
        }
        granted.remove(id);
        return id;
    }

    private @Nullable JobId ended(JobId id) {
        specHashes.remove(id);
        return granted.remove(id) == null ? null : id;
    }
}
