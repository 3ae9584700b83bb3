package dev.muster.monitor;

import dev.muster.domain.Ask;
import dev.muster.domain.Event;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.QueueId;
import dev.muster.domain.Resources;
import dev.muster.domain.RestartPolicy;
import dev.muster.domain.Scenario;
import dev.muster.domain.Spent;
import dev.muster.domain.Tier;
import dev.muster.domain.Watch;
import dev.muster.platform.kafka.ProgressRecord.Signal;

import java.util.List;

/** A job of two instances with a threshold of 60 s after a startup window of 100 s. */
final class Jobs {

    static final JobId JOB = new JobId(1, 2);
    static final ProjectId PROJECT = new ProjectId("vision");
    static final long THRESHOLD = 60_000;
    static final long STARTUP = 100_000;

    private Jobs() {}

    static Ask ask(Watch watch) {
        return new Ask(
                JOB,
                PROJECT,
                new QueueId("default"),
                1,
                2,
                "",
                new Resources(1000, 1024, 0),
                0,
                new RestartPolicy(true, 3, false, true),
                false,
                watch);
    }

    static LiveJobs running() {
        return running(new Watch(60, 100));
    }

    static LiveJobs running(Watch watch) {
        LiveJobs jobs = new LiveJobs();
        jobs.apply(new Event.ShardOwned(1, "executor"));
        jobs.apply(new Event.JobSubmitted(ask(watch), "digits", "hash", 1));
        jobs.apply(new Event.GangGranted(JOB, PROJECT, 1, List.of()));
        jobs.apply(new Event.JobStarting(JOB, PROJECT, 1, 1));
        jobs.apply(new Event.JobStarted(JOB, PROJECT, 1));
        return jobs;
    }

    static Event restarting(Tier tier, int incarnation, int processStart) {
        return new Event.JobRestarting(
                JOB,
                PROJECT,
                1,
                1,
                tier,
                Scenario.JOB_HANGED,
                incarnation,
                processStart,
                Spent.NONE);
    }

    static Event exited(int index, int processStart, int code) {
        return new Event.InstanceExited(JOB, PROJECT, 1, index, 1, processStart, code);
    }

    /** Of process start 1, long after the startup window. */
    static Signal silent(int index, long millis) {
        return signal(index, 1, STARTUP + 900_000, millis, "");
    }

    static Signal signal(
            int index, int processStart, long runMillis, long silentMillis, String failure) {
        return new Signal(
                new InstanceRef(JOB, 1, index, 1),
                processStart,
                runMillis,
                silentMillis,
                100,
                10,
                -1,
                "",
                failure);
    }
}
