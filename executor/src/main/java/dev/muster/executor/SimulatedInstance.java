package dev.muster.executor;

import dev.muster.domain.InstanceRef;
import dev.muster.platform.kafka.ProgressRecord;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;
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
    private final SimulatedCourse course;
    private final ScheduledExecutorService clock;
    private final Consumer<InstanceChange> sink;

    private boolean prepared;
    private int started;
    private int exited;
    private int lastCode;
    private boolean gone;
    private long startedMillis;
    private @Nullable Future<?> timer;

    /** Goes on from a state, nothing told yet. */
    SimulatedInstance(
            SimulatedState from, ScheduledExecutorService clock, Consumer<InstanceChange> sink) {
        this.instance = from.instance();
        this.course = from.course();
        this.clock = clock;
        this.sink = sink;
        this.prepared = from.prepared();
        this.started = from.started();
        this.exited = from.exited();
        this.lastCode = from.lastCode();
        this.gone = from.gone();
        this.startedMillis = from.startedMillis();
    }

    /** Lets time go on for one that runs already. */
    synchronized void resume() {
        if (gone || started == exited) {
            return;
        }
        int number = started;
        if (!course.hangs(instance, number)) {
            later(() -> ranOut(number), course.runMillis() - ranMillis());
        } else if (course.silenceMillis() > 0) {
            later(() -> fellSilent(number), course.silenceMillis() - ranMillis());
        }
    }

    /** Nothing happens to it here any more. */
    synchronized SimulatedState leave() {
        cancel();
        SimulatedState left =
                new SimulatedState(
                        instance, course, prepared, started, exited, lastCode, gone, startedMillis);
        gone = true;
        return left;
    }

    private long ranMillis() {
        return Math.max(0, System.currentTimeMillis() - startedMillis);
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
            case FINISH -> end(TERMINATED);
            case KILL -> end(KILLED);
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
        startedMillis = System.currentTimeMillis();
        sink.accept(new InstanceChange.Started(instance, number));
        if (course.runMillis() == 0 && !course.hangs(instance, number)) {
            exit(course.exitCode(instance, number));
        } else {
            resume();
        }
    }

    private void later(Runnable step, long millis) {
        try {
            timer = clock.schedule(step, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            return; // the backend was closed: nobody waits for the exit any more
        }
    }

    private synchronized void ranOut(int number) {
        if (!gone && started == number && exited < number) {
            exit(course.exitCode(instance, number));
        }
    }

    private synchronized void fellSilent(int number) {
        if (!gone && started == number && exited < number) {
            signal().map(InstanceChange.Signalled::new).ifPresent(sink);
        }
    }

    /** While it runs: the steps of a healthy one are its milliseconds. */
    synchronized Optional<ProgressRecord.Signal> signal() {
        if (gone || started == exited) {
            return Optional.empty();
        }
        long ran = ranMillis();
        boolean hangs = course.hangs(instance, started);
        long said = hangs ? 0 : ran;
        return Optional.of(
                new ProgressRecord.Signal(
                        instance, started, ran, ran - said, said, said, said, "", ""));
    }

    private void end(int code) {
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
