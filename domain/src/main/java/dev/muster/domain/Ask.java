package dev.muster.domain;

/**
 * All that the scheduler keeps of a job's specification (at most 200 bytes; the specification
 * itself stays in the gateway's store, by reference).
 *
 * @param priority 1 to 3, higher first (S0)
 * @param instances size of the gang, all or nothing
 * @param accelerator model of the accelerators, empty when none is asked for or any will do
 * @param perInstance what one instance gets
 * @param autoStopSeconds running time after which the job is stopped (S0), 0 for never
 * @param preemptible whether an operator may take its nodes; it queues again then
 */
public record Ask(
        JobId job,
        ProjectId project,
        QueueId queue,
        int priority,
        int instances,
        String accelerator,
        Resources perInstance,
        long autoStopSeconds,
        RestartPolicy restart,
        boolean preemptible,
        Watch watch) {

    public Ask {
        if (priority < 1 || priority > 3) {
            throw new IllegalArgumentException("priority lies in 1..3, not " + priority);
        }
        if (instances < 1) {
            throw new IllegalArgumentException("a job has at least one instance, not " + instances);
        }
        if (autoStopSeconds < 0) {
            throw new IllegalArgumentException("auto-stop is never negative");
        }
        // absent in what was written before there were restarts
        restart = restart == null ? RestartPolicy.OFF : restart;
        watch = watch == null ? Watch.DEFAULT : watch;
    }

    /** Of a job that is neither restarted nor preempted, with the default watch. */
    public Ask(
            JobId job,
            ProjectId project,
            QueueId queue,
            int priority,
            int instances,
            String accelerator,
            Resources perInstance,
            long autoStopSeconds) {
        this(
                job,
                project,
                queue,
                priority,
                instances,
                accelerator,
                perInstance,
                autoStopSeconds,
                RestartPolicy.OFF,
                false,
                Watch.DEFAULT);
    }

    /** The same for another job; what can be shared is shared. */
    public Ask forJob(JobId other) {
        return new Ask(
                other,
                project,
                queue,
                priority,
                instances,
                accelerator,
                perInstance,
                autoStopSeconds,
                restart,
                preemptible,
                watch);
    }

    public Ask withRecovery(RestartPolicy policy, boolean mayBePreempted, Watch watched) {
        return new Ask(
                job,
                project,
                queue,
                priority,
                instances,
                accelerator,
                perInstance,
                autoStopSeconds,
                policy,
                mayBePreempted,
                watched);
    }
}
