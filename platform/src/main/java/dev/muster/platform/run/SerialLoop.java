package dev.muster.platform.run;

import io.vertx.core.Context;
import io.vertx.core.Vertx;

/**
 * Where a part does its work, one piece at a time, with its timers and a clock that nobody steps: a
 * Vert.x context in a service, virtual time in the simulation.
 */
public interface SerialLoop {

    /** Runs the work behind all that was given before. From any thread. */
    void execute(Runnable work);

    /** Runs the work again and again, until cancelled. */
    long every(long millis, Runnable work);

    void cancel(long timer);

    /** Runs the work once. */
    void later(long millis, Runnable work);

    /** As {@link System#nanoTime()}. */
    long nanoTime();

    /** On the context of the caller, or a new one. */
    static SerialLoop of(Vertx vertx) {
        Context context = vertx.getOrCreateContext();
        return new SerialLoop() {
            @Override
            public void execute(Runnable work) {
                context.runOnContext(_ -> work.run());
            }

            @Override
            public long every(long millis, Runnable work) {
                return vertx.setPeriodic(millis, _ -> execute(work));
            }

            @Override
            public void cancel(long timer) {
                vertx.cancelTimer(timer);
            }

            @Override
            public void later(long millis, Runnable work) {
                vertx.setTimer(millis, _ -> execute(work));
            }

            @Override
            public long nanoTime() {
                return System.nanoTime();
            }
        };
    }
}
