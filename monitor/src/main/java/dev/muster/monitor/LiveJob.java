package dev.muster.monitor;

import dev.muster.domain.Ask;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.platform.kafka.ProgressRecord.Signal;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A job of the pool with the counters of its gang. All that was seen belongs to one process start:
 * when the counters move, it is forgotten. Of the term's thread.
 */
final class LiveJob {

    private final Ask ask;
    private final LiveInstance[] instances;
    private int attempt;
    private int incarnation;
    private int processStart;

    /** Whether every instance of the gang runs, or has run, its command. */
    private boolean runs;

    /** Whether budgets are in use that progress gives back. */
    private boolean restarted;

    /** Signals of counters that the gang has not reached yet, the newest of each instance. */
    private final Map<Integer, Signal> ahead = new HashMap<>();

    /** Verdicts on this process start. */
    private final Set<String> given = new HashSet<>();

    LiveJob(Ask ask) {
        this.ask = ask;
        this.instances =
                Stream.generate(LiveInstance::new)
                        .limit(ask.instances())
                        .toArray(LiveInstance[]::new);
    }

    static LiveJob of(JobSnapshot snapshot) {
        LiveJob job = new LiveJob(snapshot.ask());
        int incarnation = 0;
        for (JobSnapshot.InstanceSnapshot each : snapshot.instances()) {
            incarnation = Math.max(incarnation, each.incarnation());
        }
        job.move(snapshot.attempt(), incarnation, snapshot.processStart());
        for (int index = 0; index < snapshot.instances().size(); index++) {
            int code = snapshot.instances().get(index).exitCode();
            if (code >= 0) {
                job.instances[index].exited(code);
            }
        }
        job.runs =
                switch (snapshot.state()) {
                    case RUNNING -> true;
                    case SUBMITTED,
                            QUEUED,
                            PREPARING,
                            STARTING,
                            RESTARTING,
                            FINISHING,
                            STOPPING,
                            PREEMPTED,
                            SUCCEEDED,
                            FAILED,
                            STOPPED ->
                            false;
                };
        job.restarted = snapshot.recovery().reached() != null;
        return job;
    }

    JobId id() {
        return ask.job();
    }

    Ask ask() {
        return ask;
    }

    int attempt() {
        return attempt;
    }

    int incarnation() {
        return incarnation;
    }

    int processStart() {
        return processStart;
    }

    List<LiveInstance> instances() {
        return List.of(instances);
    }

    boolean runs() {
        return runs;
    }

    void runs(boolean all) {
        runs = all;
    }

    boolean restarted() {
        return restarted;
    }

    void restarted(boolean budgetsInUse) {
        restarted = budgetsInUse;
    }

    /** The gang is to reach these counters. */
    void move(int toAttempt, int toIncarnation, int toProcessStart) {
        if (attempt == toAttempt
                && incarnation == toIncarnation
                && processStart == toProcessStart) {
            return;
        }
        attempt = toAttempt;
        incarnation = toIncarnation;
        processStart = toProcessStart;
        runs = false;
        given.clear();
        for (LiveInstance each : instances) {
            each.begin();
        }
        List<Signal> early = List.copyOf(ahead.values());
        ahead.clear();
        early.forEach(this::saw);
    }

    /**
     * @return the instance if the counters are those of the gang, null else
     */
    @Nullable LiveInstance instance(InstanceRef ref, int ofProcess) {
        return ref.attempt() == attempt
                        && ref.incarnation() == incarnation
                        && ofProcess == processStart
                        && ref.index() < instances.length
                ? instances[ref.index()]
                : null;
    }

    LiveInstance instance(int index) {
        return instances[index];
    }

    /**
     * Takes in what was seen. A signal may overtake the fact that the gang has moved on: it is kept
     * until that comes; one of earlier counters is worth nothing.
     *
     * @return whether it is of the gang's counters
     */
    boolean saw(Signal signal) {
        LiveInstance instance = instance(signal.instance(), signal.processStart());
        if (instance != null) {
            instance.saw(signal);
            return true;
        }
        if (signal.instance().index() < instances.length && isAhead(signal)) {
            ahead.merge(signal.instance().index(), signal, LiveJob::newer);
        }
        return false;
    }

    private boolean isAhead(Signal signal) {
        InstanceRef ref = signal.instance();
        return ref.attempt() != attempt
                ? ref.attempt() > attempt
                : ref.incarnation() != incarnation
                        ? ref.incarnation() > incarnation
                        : signal.processStart() > processStart;
    }

    /** A failure line is told once: a later signal of the same process start must not hide it. */
    private static Signal newer(Signal old, Signal latest) {
        boolean same =
                old.instance().equals(latest.instance())
                        && old.processStart() == latest.processStart();
        return same && latest.failure().isEmpty() && !old.failure().isEmpty()
                ? latest.withFailure(old.failure())
                : latest;
    }

    /**
     * The index of the instance whose fault the gang's is: the first whose log told a failure, else
     * the first that was killed from outside; null if there is none of either.
     */
    @Nullable Integer failed() {
        Integer killed = null;
        for (int index = 0; index < instances.length; index++) {
            if (!instances[index].failure().isEmpty()) {
                return index;
            }
            if (killed == null && ExitClassification.killed(instances[index].exitCode())) {
                killed = index;
            }
        }
        return killed;
    }

    /**
     * Remembers that a verdict on this process start is being given.
     *
     * @return false if it was already
     */
    boolean give(String verdict) {
        return given.add(verdict);
    }
}
