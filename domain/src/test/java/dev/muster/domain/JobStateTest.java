package dev.muster.domain;

import static dev.muster.domain.JobState.*;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

class JobStateTest {

    /** Written a second time, by hand, from the page of states: a change has to be made twice. */
    private static final List<String> ALLOWED =
            List.of(
                    "SUBMITTED>QUEUED",
                    "SUBMITTED>FAILED",
                    "SUBMITTED>STOPPED",
                    "QUEUED>PREPARING",
                    "QUEUED>FAILED",
                    "QUEUED>STOPPED",
                    "PREPARING>STARTING",
                    "PREPARING>RESTARTING",
                    "PREPARING>FINISHING",
                    "PREPARING>STOPPING",
                    "PREPARING>PREEMPTED",
                    "STARTING>RUNNING",
                    "STARTING>RESTARTING",
                    "STARTING>FINISHING",
                    "STARTING>STOPPING",
                    "STARTING>PREEMPTED",
                    "RUNNING>RESTARTING",
                    "RUNNING>FINISHING",
                    "RUNNING>STOPPING",
                    "RUNNING>PREEMPTED",
                    "RESTARTING>QUEUED",
                    "RESTARTING>PREPARING",
                    "RESTARTING>STARTING",
                    "RESTARTING>RUNNING",
                    "RESTARTING>FINISHING",
                    "RESTARTING>STOPPING",
                    "RESTARTING>PREEMPTED",
                    "FINISHING>STOPPING",
                    "FINISHING>SUCCEEDED",
                    "FINISHING>FAILED",
                    "FINISHING>STOPPED",
                    "STOPPING>STOPPED",
                    "PREEMPTED>QUEUED",
                    "PREEMPTED>STOPPING");

    @Test
    void allowsExactlyTheTransitionsOfTheTable() {
        List<String> allowed = new ArrayList<>();
        for (JobState from : JobState.values()) {
            for (JobState to : JobState.values()) {
                if (from.mayBecome(to)) {
                    allowed.add(from + ">" + to);
                }
            }
        }
        assertThat(allowed).containsExactlyInAnyOrderElementsOf(ALLOWED);
    }

    @Test
    void absorbsInTerminalStatesOnly() {
        Set<JobState> terminal = EnumSet.of(SUCCEEDED, FAILED, STOPPED);
        for (JobState state : JobState.values()) {
            assertThat(state.terminal()).as("%s", state).isEqualTo(terminal.contains(state));
            assertThat(state.next()).as("%s repeats itself", state).doesNotContain(state);
        }
    }

    @Test
    void reachesATerminalStateFromEverywhere() {
        for (JobState state : JobState.values()) {
            Set<JobState> reached = EnumSet.of(state);
            while (reached.addAll(following(reached))) {}
            assertThat(reached).as("%s", state).containsAnyOf(SUCCEEDED, FAILED, STOPPED);
        }
    }

    private static Set<JobState> following(Set<JobState> states) {
        Set<JobState> next = EnumSet.noneOf(JobState.class);
        states.forEach(state -> next.addAll(state.next()));
        return next;
    }

    @Test
    void holdsAGrantOnlyBetweenQueueAndEnd() {
        assertThat(JobState.values())
                .filteredOn(JobState::holdsGrant)
                .containsExactly(
                        PREPARING, STARTING, RUNNING, RESTARTING, FINISHING, STOPPING, PREEMPTED);
    }
}
