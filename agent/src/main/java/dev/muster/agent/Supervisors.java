package dev.muster.agent;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Children of this process that it has to take note of when they end, or their entries would stay
 * in the machine's process table. They do not depend on it: where this process ends first, the
 * machine does the same.
 */
final class Supervisors {

    private static final long LOOK_MILLIS = 1000;

    /** Asked by one thread at a time: a number that was given back may soon be another child's. */
    private static final ConcurrentMap<Long, Boolean> CHILDREN = new ConcurrentHashMap<>();

    private static final Thread REAPER =
            Thread.ofPlatform().daemon().name("supervisor-reaper").unstarted(Supervisors::reap);

    static {
        REAPER.start();
    }

    private Supervisors() {}

    static void add(long pid) {
        CHILDREN.put(pid, true);
    }

    /** Whether a child that was added has ended. Its number may be another process's by now. */
    static boolean hasEnded(long pid) {
        CHILDREN.computeIfPresent(pid, (child, _) -> Libc.reap(child) ? null : true);
        return !CHILDREN.containsKey(pid);
    }

    private static void reap() {
        try {
            while (true) {
                CHILDREN.keySet().forEach(Supervisors::hasEnded);
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
