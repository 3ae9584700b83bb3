package dev.muster.executor;

import dev.muster.domain.InstanceRef;

/**
 * All that a simulated instance is, as it is left to the next session.
 *
 * @param started number of the last process start, 0 before the first
 * @param exited number of the last one that ended
 * @param startedMillis wall clock of the last process start, since it may go on in another process
 */
record SimulatedState(
        InstanceRef instance,
        SimulatedCourse course,
        boolean prepared,
        int started,
        int exited,
        int lastCode,
        boolean gone,
        long startedMillis) {

    static SimulatedState fresh(InstanceRef instance, SimulatedCourse course) {
        return new SimulatedState(instance, course, false, 0, 0, 0, false, 0);
    }
}
