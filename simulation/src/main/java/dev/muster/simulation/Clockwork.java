package dev.muster.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

/** Virtual time: a queue of what is to happen, in one order for one seed. */
final class Clockwork {

    private record Step(long at, long order, Runnable work) {}

    private final PriorityQueue<Step> queue =
            new PriorityQueue<>(Comparator.comparingLong(Step::at).thenComparingLong(Step::order));
    private final Random random;
    private long now;
    private long order;
    private long steps;

    Clockwork(long seed) {
        this.random = new Random(seed);
    }

    long now() {
        return now;
    }

    long steps() {
        return steps;
    }

    Random random() {
        return random;
    }

    /** From low to high, both included. */
    long between(long low, long high) {
        return low + random.nextLong(high - low + 1);
    }

    void at(long millis, Runnable work) {
        queue.add(new Step(Math.max(now, millis), order++, work));
    }

    void in(long millis, Runnable work) {
        at(now + millis, work);
    }

    /** Lets the next thing happen; false if nothing is left before that time. */
    boolean step(long untilMillis) {
        Step next = queue.peek();
        if (next == null || next.at > untilMillis) {
            now = Math.max(now, untilMillis);
            return false;
        }
        queue.remove();
        now = next.at;
        steps++;
        next.work.run();
        return true;
    }
}
