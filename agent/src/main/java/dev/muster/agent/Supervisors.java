package dev.muster.agent;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Children of this process that it has to take note of when they end, or their entries would stay
 * in the machine's process table. They do not depend on it: where this process ends first, the
 * machine does the same.
 */
final class Supervisors {

    private static final long LOOK_MILLIS = 1000;
    private static final Set<Long> CHILDREN = ConcurrentHashMap.newKeySet();
    private static final Thread REAPER =
            Thread.ofPlatform().daemon().name("supervisor-reaper").unstarted(Supervisors::reap);

    static {
        REAPER.start();
    }

    private Supervisors() {}

    static void add(long pid) {
        CHILDREN.add(pid);
    }

    private static void reap() {
        try {
            while (true) {
                CHILDREN.removeIf(Libc::reap);
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
