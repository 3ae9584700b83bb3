package dev.muster.monitor;

import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.PoolSnapshot;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    Collection<LiveJob> all() {
        return jobs.values();
    }

    /** Null for one that has ended or never was. */
    @Nullable LiveJob get(JobId job) {
        return jobs.get(job);
    }

    /**
     * A command that failed, with the counters of its gang.
     *
     * @param explained whether the gang's signals told the cause already
     */
    public record Exit(
            JobId job,
            int index,
            int attempt,
            int incarnation,
            int processStart,
            boolean explained) {}

    /** Empty unless the instance's command has failed. */
    public Optional<Exit> exit(JobId id, int index) {
        LiveJob job = jobs.get(id);
        return job == null || job.instance(index).exitCode() <= 0
                ? Optional.empty()
                : Optional.of(
                        new Exit(
                                id,
                                index,
                                job.attempt(),
                                job.incarnation(),
                                job.processStart(),
                                job.failed() != null));
    }

    /** All commands that have failed. */
    public List<Exit> exits() {
        List<Exit> exits = new ArrayList<>();
        for (LiveJob job : jobs.values()) {
            for (int index = 0; index < job.instances().size(); index++) {
                exit(job.id(), index).ifPresent(exits::add);
            }
        }
        return exits;
    }

    /** The exit's job, null if its counters have moved on since. */
    @Nullable LiveJob of(Exit exit) {
        LiveJob job = jobs.get(exit.job());
        return job != null
                        && job.attempt() == exit.attempt()
                        && job.incarnation() == exit.incarnation()
                        && job.processStart() == exit.processStart()
                ? job
                : null;
    }

    /** Epoch of the executor whose signals are believed. */
    long shardEpoch() {
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
