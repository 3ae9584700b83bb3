package dev.muster.domain;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** State of a job and the one table of its transitions. Terminal states are absorbing. */
public enum JobState {
    SUBMITTED,
    QUEUED,
    PREPARING,
    STARTING,
    RUNNING,
    RESTARTING,
    FINISHING,
    STOPPING,
    PREEMPTED,
    SUCCEEDED,
    FAILED,
    STOPPED;

    private static final Map<JobState, Set<JobState>> NEXT = table();

    private static Map<JobState, Set<JobState>> table() {
        Map<JobState, Set<JobState>> next = new EnumMap<>(JobState.class);
        next.put(SUBMITTED, EnumSet.of(QUEUED, STOPPED, FAILED));
        next.put(QUEUED, EnumSet.of(PREPARING, STOPPED, FAILED));
        next.put(PREPARING, EnumSet.of(STARTING, FINISHING, RESTARTING, STOPPING, PREEMPTED));
        next.put(STARTING, EnumSet.of(RUNNING, FINISHING, RESTARTING, STOPPING, PREEMPTED));
        next.put(RUNNING, EnumSet.of(FINISHING, RESTARTING, STOPPING, PREEMPTED));
        next.put(
                RESTARTING,
                EnumSet.of(PREPARING, STARTING, RUNNING, FINISHING, STOPPING, PREEMPTED, QUEUED));
        next.put(FINISHING, EnumSet.of(SUCCEEDED, FAILED, STOPPED, STOPPING));
        next.put(STOPPING, EnumSet.of(STOPPED));
        next.put(PREEMPTED, EnumSet.of(QUEUED, STOPPING));
        next.put(SUCCEEDED, EnumSet.noneOf(JobState.class));
        next.put(FAILED, EnumSet.noneOf(JobState.class));
        next.put(STOPPED, EnumSet.noneOf(JobState.class));
        next.replaceAll((state, set) -> Collections.unmodifiableSet(set));
        return Collections.unmodifiableMap(next);
    }

    /** The states that may follow this one. */
    public Set<JobState> next() {
        return NEXT.getOrDefault(this, Set.of());
    }

    public boolean mayBecome(JobState other) {
        return next().contains(other);
    }

    /** Succeeded, failed or stopped: nothing follows. */
    public boolean terminal() {
        return next().isEmpty();
    }

    /** Whether the job owns a grant of nodes in this state. */
    public boolean holdsGrant() {
        return switch (this) {
            case PREPARING, STARTING, RUNNING, RESTARTING, FINISHING, STOPPING, PREEMPTED -> true;
            case SUBMITTED, QUEUED, SUCCEEDED, FAILED, STOPPED -> false;
        };
    }
}
