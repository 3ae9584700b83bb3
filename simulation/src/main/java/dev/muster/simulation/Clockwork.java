package dev.muster.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.SplittableRandom;

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
        this.random = random(seed, 0);
    }

    /** A source of its own for each use; those of neighbouring seeds have nothing in common. */
    static Random random(long seed, int use) {
        return new Random(new SplittableRandom(seed * 31 + use).nextLong());
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
