package dev.muster.simulation;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Lets the faults of a plan happen, each once. */
final class Faults {

    /** A fault that waits for the n-th occasion. */
    private static final class Armed {
        final Fault fault;
        final String process;
        final long fromMillis;
        int left;

        Armed(Fault fault, String process, long fromMillis, int left) {
            this.fault = fault;
            this.process = process;
            this.fromMillis = fromMillis;
            this.left = left;
        }
    }

    private final World world;
    private final List<Armed> armed = new ArrayList<>();
    private long goneUntil;
    private long slowUntil;
    private long latency;
    private long awayUntil;
    private long happened;

    Faults(World world) {
        this.world = world;
    }

    void plan(FaultPlan plan) {
        plan.faults().forEach(this::plan);
    }

    private void plan(Fault fault) {
        Clockwork clock = world.clock;
        switch (fault) {
            case Fault.Crash f -> arm(f, f.process(), f.fromMillis(), f.steps());
            case Fault.Pause f -> arm(f, f.process(), f.fromMillis(), f.steps());
            case Fault.Statement f -> arm(f, f.process(), f.fromMillis(), f.count());
            case Fault.Sending f -> arm(f, f.process(), f.fromMillis(), f.count());
            case Fault.ClockStep f ->
                    clock.at(
                            f.atMillis(), () -> world.process(f.process()).stepClock(f.byMillis()));
            case Fault.DatabaseGone f ->
                    clock.at(
                            f.atMillis(),
                            () -> goneUntil = Math.max(goneUntil, clock.now() + f.millis()));
            case Fault.DatabaseSlow f ->
                    clock.at(
                            f.atMillis(),
                            () -> {
                                slowUntil = clock.now() + f.millis();
                                latency = f.latencyMillis();
                            });
            case Fault.KafkaAway f ->
                    clock.at(
                            f.atMillis(),
                            () -> awayUntil = Math.max(awayUntil, clock.now() + f.millis()));
            case Fault.Truncated f ->
                    clock.at(f.atMillis(), () -> world.transport.truncate(f.topic()));
            case Fault.Repeated f ->
                    clock.at(f.atMillis(), () -> world.transport.repeat(f.topic(), f.count()));
            case Fault.Recreated f ->
                    clock.at(f.atMillis(), () -> world.transport.recreate(f.topic()));
            case Fault.NodeLost f ->
                    clock.at(f.atMillis(), () -> world.backend.loseNode(f.node(), f.millis()));
            case Fault.ReceiverDown f ->
                    clock.at(f.atMillis(), () -> world.receivers.down(f.receiver(), f.millis()));
        }
    }

    private void arm(Fault fault, String process, long fromMillis, int left) {
        armed.add(new Armed(fault, process, fromMillis, left));
    }

    void reached(SimProcess process, String step) {
        Fault due = due(process, f -> f instanceof Fault.Crash || f instanceof Fault.Pause);
        if (due instanceof Fault.Crash crash) {
            world.trace(() -> process + " is killed at " + step);
            process.crash(crash.downMillis());
        } else if (due instanceof Fault.Pause pause) {
            world.trace(() -> process + " is stopped at " + step);
            process.pause(pause.millis());
        }
    }

    Fault.@Nullable Outcome statement(SimProcess process) {
        return due(process, f -> f instanceof Fault.Statement) instanceof Fault.Statement found
                ? found.outcome()
                : null;
    }

    Fault.@Nullable Sending sending(SimProcess process) {
        return due(process, f -> f instanceof Fault.Sending) instanceof Fault.Sending found
                ? found
                : null;
    }

    private @Nullable Fault due(SimProcess process, Predicate<Fault> kind) {
        for (int i = 0; i < armed.size(); i++) {
            Armed each = armed.get(i);
            boolean counts =
                    each.process.equals(process.name)
                            && each.fromMillis <= world.clock.now()
                            && kind.test(each.fault);
            if (counts && --each.left <= 0) {
                armed.remove(i);
                happened++;
                return each.fault;
            }
        }
        return null;
    }

    boolean databaseGone() {
        return world.clock.now() < goneUntil;
    }

    long databaseLatency() {
        return world.clock.now() < slowUntil ? latency : 0;
    }

    boolean kafkaAway() {
        return world.clock.now() < awayUntil;
    }

    /** Faults on occasions that came. */
    long happened() {
        return happened;
    }

    /** From now on nothing more goes wrong. */
    void end() {
        armed.clear();
    }
}
