package dev.muster.executor;

import dev.muster.domain.InstanceRef;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One pretended instance: the same life as a real one, without processes. Thread-safe. */
final class SimulatedInstance {

    private static final int TERMINATED = 143;
    private static final int KILLED = 137;

    private final InstanceRef instance;
    private final long runMillis;
    private final int exitCode;
    private final ScheduledExecutorService clock;
    private final Consumer<InstanceChange> sink;

    private boolean prepared;
    private int started;
    private int exited;
    private int lastCode;
    private boolean gone;
    private @Nullable Future<?> timer;

    SimulatedInstance(
            InstanceRef instance,
            long runMillis,
            int exitCode,
            ScheduledExecutorService clock,
            Consumer<InstanceChange> sink) {
        this.instance = instance;
        this.runMillis = runMillis;
        this.exitCode = exitCode;
        this.clock = clock;
        this.sink = sink;
    }

    synchronized void raise(InstanceOrder order) {
        if (gone) {
            return;
        }
        switch (order.level()) {
            case NOTHING -> {}
            case PREPARE -> prepare();
            case START -> {
                prepare();
                start(order.processStart());
            }
            case FINISH -> leave(TERMINATED);
            case KILL -> leave(KILLED);
        }
    }

    synchronized void tellAll() {
        if (prepared) {
            sink.accept(new InstanceChange.Prepared(instance));
        }
        if (started > 0) {
            sink.accept(new InstanceChange.Started(instance, started));
        }
        if (exited > 0 && exited == started) {
            sink.accept(new InstanceChange.Exited(instance, exited, lastCode));
        }
        if (gone) {
            sink.accept(new InstanceChange.Gone(instance));
        }
    }

    /** If it is of this attempt, ends it without telling anybody. */
    synchronized boolean endOf(int attempt) {
        if (instance.attempt() != attempt) {
            return false;
        }
        cancel();
        gone = true;
        return true;
    }

    synchronized InstanceRecord inspect() {
        List<InstanceRecord.Start> starts =
                java.util.stream.IntStream.rangeClosed(1, started)
                        .mapToObj(n -> new InstanceRecord.Start(n, 1))
                        .toList();
        return new InstanceRecord(instance, false, starts, List.of());
    }

    private void prepare() {
        if (!prepared) {
            prepared = true;
            sink.accept(new InstanceChange.Prepared(instance));
        }
    }

    private void start(int number) {
        if (number <= started) {
            return;
        }
        if (started > exited) {
            exit(TERMINATED);
        }
        started = number;
        sink.accept(new InstanceChange.Started(instance, number));
        if (runMillis == 0) {
            exit(exitCode);
            return;
        }
        try {
            timer = clock.schedule(() -> ranOut(number), runMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            return; // the backend was closed: nobody waits for the exit any more
        }
    }

    private synchronized void ranOut(int number) {
        if (!gone && started == number && exited < number) {
            exit(exitCode);
        }
    }

    private void leave(int code) {
        if (started > exited) {
            exit(code);
        }
        cancel();
        gone = true;
        sink.accept(new InstanceChange.Gone(instance));
    }

    private void exit(int code) {
        cancel();
        exited = started;
        lastCode = code;
        sink.accept(new InstanceChange.Exited(instance, exited, code));
    }

    private void cancel() {
        Future<?> last = timer;
        timer = null;
        if (last != null) {
            last.cancel(false);
        }
    }
}
