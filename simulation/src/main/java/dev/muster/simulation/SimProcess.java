package dev.muster.simulation;

import dev.muster.platform.run.SerialLoop;

import java.util.HashSet;
import java.util.Set;

/**
 * A process that may be killed, stopped for a while and started again. Whatever it planned in one
 * life does not happen in the next; what it does while it is dead reaches nobody.
 */
abstract class SimProcess implements SerialLoop {

    private static final long EPOCH_MILLIS = 1_700_000_000_000L;

    final World world;
    final String name;
    private final Set<Long> cancelled = new HashSet<>();
    private boolean alive;
    private int life;
    private long pausedUntil;
    private long clockOffset;
    private long timers;

    SimProcess(World world, String name) {
        this.world = world;
        this.name = name;
    }

    /** A new life begins with nothing in memory. */
    abstract void begin();

    final void start() {
        if (!alive) {
            alive = true;
            life++;
            begin();
        }
    }

    /** As kill -9 does, then a start by whoever watches over it. */
    final void crash(long downMillis) {
        if (alive) {
            alive = false;
            pausedUntil = 0;
            cancelled.clear();
            world.clock.in(downMillis, this::start);
        }
    }

    /** As SIGSTOP and SIGCONT do. */
    final void pause(long millis) {
        pausedUntil = Math.max(pausedUntil, world.clock.now() + millis);
    }

    final void stepClock(long millis) {
        clockOffset += millis;
    }

    final boolean alive() {
        return alive;
    }

    final int life() {
        return life;
    }

    /** The process's wall clock, which somebody may step. */
    final long wallMillis() {
        return EPOCH_MILLIS + world.clock.now() + clockOffset;
    }

    /** A durable or visible step: here the plan may kill or stop it. */
    final boolean reach(String step) {
        if (alive) {
            world.faults.reached(this, step);
        }
        return alive;
    }

    /** The work as part of this life alone, put off while the process is stopped. */
    final Runnable ofThisLife(Runnable work) {
        int of = life;
        return new Runnable() {
            @Override
            public void run() {
                if (!alive || life != of) {
                    return;
                }
                if (world.clock.now() < pausedUntil) {
                    world.clock.at(pausedUntil, this);
                    return;
                }
                work.run();
            }
        };
    }

    @Override
    public final void execute(Runnable work) {
        later(0, work);
    }

    @Override
    public final void later(long millis, Runnable work) {
        world.clock.in(millis, ofThisLife(work));
    }

    @Override
    public final long every(long millis, Runnable work) {
        long timer = ++timers;
        again(timer, millis, work);
        return timer;
    }

    private void again(long timer, long millis, Runnable work) {
        later(
                millis,
                () -> {
                    if (cancelled.remove(timer)) {
                        return;
                    }
                    again(timer, millis, work);
                    work.run();
                });
    }

    @Override
    public final void cancel(long timer) {
        cancelled.add(timer);
    }

    @Override
    public final long nanoTime() {
        return world.clock.now() * 1_000_000;
    }

    @Override
    public final String toString() {
        return name;
    }
}
