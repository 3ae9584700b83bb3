package dev.muster.simulation;

import dev.muster.domain.FailureCause;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobSpec;
import dev.muster.executor.InstanceChange;
import dev.muster.executor.InstanceOrder;
import dev.muster.platform.kafka.ProgressRecord;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * An instance with its supervisor's files: which process starts were claimed, which were executed,
 * how they ended. It goes on whether an executor looks or not, and a number is claimed before its
 * process starts, once.
 */
final class SimInstance {

    private static final int TERMINATED = 143;
    private static final int KILLED = 137;

    private final World world;
    private final InstanceRef ref;
    private final Course course;
    private final TreeSet<Integer> claimed = new TreeSet<>();
    private final TreeMap<Integer, Integer> exits = new TreeMap<>();
    private InstanceOrder wanted = InstanceOrder.NOTHING;
    private boolean prepared;
    private InstanceChange.@Nullable Failed failed;
    private boolean gone;
    private boolean leaving;
    private int started;
    private long startedAt;
    private int runs;

    SimInstance(World world, InstanceRef ref, JobSpec spec) {
        this.world = world;
        this.ref = ref;
        this.course = Course.of(spec, ref);
    }

    InstanceRef ref() {
        return ref;
    }

    boolean gone() {
        return gone;
    }

    boolean running() {
        return started > 0 && !exits.containsKey(started) && !gone;
    }

    /** Whether this process start was executed. */
    boolean wasStarted(int number) {
        return number <= started && claimed.contains(number);
    }

    boolean exitedWith(int number, int code) {
        return exits.getOrDefault(number, -1) == code;
    }

    void prepare() {
        world.clock.in(world.clock.between(20, 400), this::prepared);
    }

    private void prepared() {
        if (gone || leaving) {
            return;
        }
        if (course.refused()) {
            failed = new InstanceChange.Failed(ref, FailureCause.PREPARATION, "no such input");
            world.backend.tell(failed);
            return;
        }
        prepared = true;
        world.backend.tell(new InstanceChange.Prepared(ref));
        pass();
    }

    void raise(InstanceOrder order) {
        if (order.exceeds(wanted)) {
            wanted = order;
            pass();
        }
    }

    private void pass() {
        switch (wanted.level()) {
            case NOTHING, PREPARE -> {}
            case START -> start(wanted.processStart());
            case FINISH -> leave(TERMINATED, world.clock.between(20, 500));
            case KILL -> leave(KILLED, world.clock.between(5, 50));
        }
    }

    private void start(int number) {
        if (!prepared || gone || leaving || !claimed.add(number)) {
            return;
        }
        if (running()) {
            exit(started, TERMINATED);
        }
        world.clock.in(world.clock.between(5, 100), () -> begin(number));
    }

    private void begin(int number) {
        if (gone || leaving || number <= started) {
            return;
        }
        started = number;
        startedAt = world.clock.now();
        world.oracle.processStarted(this, number);
        world.backend.tell(new InstanceChange.Started(ref, number));
        int run = ++runs;
        if (!course.hangs(number)) {
            world.clock.in(
                    course.runMillis(),
                    () -> {
                        if (run == runs && running()) {
                            exit(number, course.exitCode(number));
                            vanishPerhaps();
                        }
                    });
        }
    }

    private void vanishPerhaps() {
        if (course.vanishes() && !leaving) {
            leave(KILLED, 1);
        }
    }

    private void exit(int number, int code) {
        exits.put(number, code);
        world.backend.tell(new InstanceChange.Exited(ref, number, code));
    }

    private void leave(int code, long millis) {
        if (leaving || gone) {
            return;
        }
        leaving = true;
        if (world.plant.leavesEarly()) {
            world.backend.tell(new InstanceChange.Gone(ref));
        }
        world.clock.in(
                millis,
                () -> {
                    if (running()) {
                        exit(started, code);
                    }
                    gone = true;
                    world.backend.tell(new InstanceChange.Gone(ref));
                });
    }

    /** All that holds, in order, for who looks anew. */
    List<InstanceChange> holds() {
        List<InstanceChange> all = new ArrayList<>();
        if (prepared) {
            all.add(new InstanceChange.Prepared(ref));
        }
        if (started > 0) {
            all.add(new InstanceChange.Started(ref, started));
            Integer code = exits.get(started);
            if (code != null) {
                all.add(new InstanceChange.Exited(ref, started, code));
            }
        }
        if (failed != null) {
            all.add(failed);
        }
        if (gone) {
            all.add(new InstanceChange.Gone(ref));
        }
        return all;
    }

    Optional<ProgressRecord.Signal> signal() {
        if (!running()) {
            return Optional.empty();
        }
        long ran = world.clock.now() - startedAt;
        long silent = course.hangs(started) ? ran : Math.min(ran, 500);
        return Optional.of(
                new ProgressRecord.Signal(
                        ref, started, ran, silent, ran - silent, 0, ran - silent, "", ""));
    }
}
