package dev.muster.monitor;

import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.PoolSnapshot;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The pool's live jobs, folded from its facts in order of seq. The same facts give the same jobs;
 * one that repeats or is of old counters changes nothing. Of the term's thread.
 */
public final class LiveJobs {

    /** Facts that concern the monitor; others need not even be decoded. */
    private static final Set<String> TYPES =
            Set.of(
                    "JobSubmitted",
                    "GangGranted",
                    "JobStarting",
                    "JobStarted",
                    "JobRestarting",
                    "JobRestarted",
                    "RecoveryReset",
                    "InstanceExited",
                    "JobFinishing",
                    "JobStopping",
                    "JobPreempted",
                    "JobSucceeded",
                    "JobFailed",
                    "JobStopped",
                    "ShardOwned");

    private static final int FIRST_INCARNATION = 1;

    private final Map<JobId, LiveJob> jobs = new HashMap<>();
    private long shardEpoch;

    public static boolean concerns(String type) {
        return TYPES.contains(type);
    }

    public static LiveJobs of(PoolSnapshot snapshot) {
        LiveJobs all = new LiveJobs();
        all.shardEpoch = snapshot.shardEpoch();
        for (JobSnapshot each : snapshot.jobs()) {
            all.jobs.put(each.ask().job(), LiveJob.of(each));
        }
        return all;
    }

    public Collection<LiveJob> all() {
        return jobs.values();
    }

    /** Null for one that has ended or never was. */
    public @Nullable LiveJob get(JobId job) {
        return jobs.get(job);
    }

    /** Epoch of the executor whose signals are believed. */
    public long shardEpoch() {
        return shardEpoch;
    }

    /** Folds the next fact. */
    public void apply(Event event) {
        switch (event) {
            case Event.ShardOwned e -> shardEpoch = e.shardEpoch();
            case Event.JobSubmitted e -> jobs.putIfAbsent(e.job(), new LiveJob(e.ask()));
            case Event.OfJob e -> {
                LiveJob job = jobs.get(e.job());
                if (job != null) {
                    apply(job, e);
                }
            }
            case Event.OfNode _,
                    Event.CommandRefused _,
                    Event.LeaderTookOver _,
                    Event.OutageObserved _,
                    Event.InputsAbsorbed _ -> {}
        }
    }

    private void apply(LiveJob job, Event.OfJob event) {
        switch (event) {
            case Event.GangGranted e -> job.move(e.attempt(), FIRST_INCARNATION, 0);
            case Event.JobStarting e -> job.move(e.attempt(), job.incarnation(), e.processStart());
            case Event.JobStarted _, Event.JobRestarted _ -> job.runs(true);
            case Event.JobRestarting e -> {
                job.restarted(true);
                job.move(e.attempt(), e.incarnation(), e.processStart());
                job.runs(false);
            }
            case Event.RecoveryReset _ -> job.restarted(false);
            case Event.InstanceExited e -> exited(job, e);
            case Event.JobFinishing _, Event.JobStopping _, Event.JobPreempted _ -> job.runs(false);
            case Event.JobSucceeded e -> jobs.remove(e.job());
            case Event.JobFailed e -> jobs.remove(e.job());
            case Event.JobStopped e -> jobs.remove(e.job());
            case Event.OfJob _ -> {} // the types above are all that concern the monitor
        }
    }

    private static void exited(LiveJob job, Event.InstanceExited e) {
        if (e.attempt() == job.attempt()
                && e.incarnation() == job.incarnation()
                && e.processStart() == job.processStart()) {
            job.instance(e.index()).exited(e.exitCode());
        }
    }
}
