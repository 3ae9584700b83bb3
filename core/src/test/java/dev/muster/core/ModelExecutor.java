package dev.muster.core;

import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.Level;
import dev.muster.domain.Report;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An executor as the core sees one: it folds events to what is desired, moves instances on, and
 * reports. It may misbehave: reports get lost, come again, come late, or speak of what never was.
 */
final class ModelExecutor {

    private enum Phase {
        PREPARING,
        PREPARED,
        RUNNING,
        EXITED,
        GONE
    }

    private static final class Instance {
        final InstanceRef ref;
        Phase phase = Phase.PREPARING;
        int processStart;
        boolean started;
        int exitCode = -1;
        boolean ending;
        @Nullable Report failure;

        Instance(InstanceRef ref) {
            this.ref = ref;
        }

        /**
         * Whatever runs is killed; the command starts again in the same place, unless the container
         * is gone and that was not heard of yet.
         */
        void startAnew(int number) {
            if (phase == Phase.RUNNING || phase == Phase.EXITED) {
                phase = Phase.PREPARED;
            }
            processStart = number;
            started = false;
            exitCode = -1;
        }

        Instance replaced(int incarnation) {
            if (incarnation != ref.incarnation() + 1) {
                throw new AssertionError("incarnations have gaps: " + ref);
            }
            return new Instance(
                    new InstanceRef(ref.job(), ref.attempt(), ref.index(), incarnation));
        }
    }

    private final Random random;
    private final int exits;
    private final int preparations;
    private final SortedMap<JobId, List<Instance>> gangs = new TreeMap<>();
    private final List<Report> sent = new ArrayList<>();
    long shardEpoch = 1;

    /**
     * @param exits of so many, one is a bad one
     * @param preparations of so many, one fails
     */
    ModelExecutor(Random random, int exits, int preparations) {
        this.random = random;
        this.exits = exits;
        this.preparations = preparations;
    }

    void fold(Event event) {
        switch (event) {
            case Event.GangGranted e -> {
                List<Instance> gang = new ArrayList<>();
                for (int index = 0; index < e.placements().size(); index++) {
                    gang.add(new Instance(new InstanceRef(e.job(), e.attempt(), index, 1)));
                }
                if (gangs.put(e.job(), gang) != null) {
                    throw new AssertionError("a second grant while one lives: " + e);
                }
            }
            case Event.JobStarting e ->
                    gang(e.job()).forEach(instance -> instance.processStart = e.processStart());
            case Event.JobFinishing e -> gang(e.job()).forEach(instance -> instance.ending = true);
            case Event.JobStopping e -> gang(e.job()).forEach(instance -> instance.ending = true);
            case Event.JobPreempted e -> gang(e.job()).forEach(instance -> instance.ending = true);
            case Event.JobRestarting e -> restart(e);
            case Event.GangReleased e -> {
                for (Instance instance : gang(e.job())) {
                    if (instance.phase != Phase.GONE) {
                        throw new AssertionError("released before gone: " + instance.ref);
                    }
                }
                gangs.remove(e.job());
            }
            case Event ignored -> {}
        }
    }

    private void restart(Event.JobRestarting e) {
        List<Instance> gang = gang(e.job());
        switch (e.tier()) {
            case PROCESS -> gang.forEach(instance -> instance.startAnew(e.processStart()));
            case CONTAINER -> gang.replaceAll(instance -> instance.replaced(e.incarnation()));
            case JOB -> gang.forEach(instance -> instance.ending = true);
        }
    }

    private List<Instance> gang(JobId job) {
        return gangs.getOrDefault(job, List.of());
    }

    /** Moves a random instance one step on; its report, unless nothing happened. */
    @Nullable Report advanceOne(boolean behave) {
        List<Instance> all = new ArrayList<>();
        gangs.values().forEach(all::addAll);
        return all.isEmpty() ? null : advance(all.get(random.nextInt(all.size())), behave);
    }

    /** Moves every instance one step on, without mishaps, and reports all that can be seen. */
    List<Report> behave() {
        gangs.values().forEach(gang -> gang.forEach(instance -> advance(instance, true)));
        List<Report> all = new ArrayList<>();
        gangs.values().forEach(gang -> gang.forEach(instance -> observe(instance, all)));
        return all;
    }

    private void observe(Instance i, List<Report> into) {
        if (i.phase == Phase.PREPARED || i.started) {
            into.add(new Report.InstancePrepared(shardEpoch, i.ref));
        }
        if (i.started) {
            into.add(new Report.InstanceStarted(shardEpoch, i.ref, i.processStart));
        }
        if (i.exitCode >= 0) {
            into.add(new Report.InstanceExited(shardEpoch, i.ref, i.processStart, i.exitCode));
        }
        if (i.failure != null) {
            into.add(i.failure);
        }
        if (i.phase == Phase.GONE) {
            into.add(new Report.InstanceGone(shardEpoch, i.ref));
        }
    }

    private @Nullable Report advance(Instance i, boolean behave) {
        Report report =
                switch (i.phase) {
                    case PREPARING -> {
                        if (i.ending) {
                            yield goneBy(i);
                        }
                        if (!behave && random.nextInt(preparations) == 0) {
                            yield fails(
                                    i,
                                    random.nextBoolean()
                                            ? FailureCause.PREPARATION
                                            : FailureCause.START);
                        }
                        i.phase = Phase.PREPARED;
                        yield new Report.InstancePrepared(shardEpoch, i.ref);
                    }
                    case PREPARED -> i.ending ? goneBy(i) : starts(i);
                    case RUNNING -> {
                        if (!behave && random.nextInt(20) == 0) {
                            yield goneBy(i);
                        }
                        if (!behave && random.nextInt(20) == 0) {
                            yield fails(i, FailureCause.INSTANCE_LOST);
                        }
                        yield exits(i);
                    }
                    case EXITED -> {
                        if (!i.ending) {
                            yield !behave && random.nextInt(10) == 0 ? goneBy(i) : null;
                        }
                        if (!behave && random.nextInt(10) == 0) {
                            yield fails(i, FailureCause.OUTPUT_SYNC);
                        }
                        yield goneBy(i);
                    }
                    case GONE -> null;
                };
        if (report != null) {
            sent.add(report);
        }
        return report;
    }

    private @Nullable Report starts(Instance i) {
        if (i.processStart == 0) {
            return null;
        }
        i.phase = Phase.RUNNING;
        i.started = true;
        return new Report.InstanceStarted(shardEpoch, i.ref, i.processStart);
    }

    private Report exits(Instance i) {
        i.phase = Phase.EXITED;
        i.exitCode = i.ending ? 143 : random.nextInt(exits) == 0 ? 1 + random.nextInt(255) : 0;
        return new Report.InstanceExited(shardEpoch, i.ref, i.processStart, i.exitCode);
    }

    private Report goneBy(Instance i) {
        i.phase = Phase.GONE;
        return new Report.InstanceGone(shardEpoch, i.ref);
    }

    private Report fails(Instance i, FailureCause cause) {
        Report failure = new Report.InstanceFailed(shardEpoch, i.ref, cause, "it broke");
        i.failure = failure;
        return failure;
    }

    /** A report that was sent before, or one of what never was. */
    Report mischief(JobId job) {
        if (!sent.isEmpty() && random.nextBoolean()) {
            return sent.get(random.nextInt(sent.size()));
        }
        InstanceRef ref =
                new InstanceRef(
                        job, 1 + random.nextInt(3), random.nextInt(4), 1 + random.nextInt(2));
        long epoch = random.nextInt(3) == 0 ? shardEpoch - 1 : shardEpoch;
        return switch (random.nextInt(5)) {
            case 4 -> new Report.EvidenceKept(epoch, ref, 1, random.nextInt(4), "evidence/" + ref);
            case 0 -> new Report.InstanceStarted(epoch, ref, 2 + random.nextInt(3));
            case 1 ->
                    new Report.InstanceExited(
                            epoch, ref, random.nextInt(3), random.nextInt(400) - 70);
            case 2 -> new Report.NoticeRaised(epoch, ref, Level.INFO, "hello");
            default -> new Report.InstanceFailed(epoch, ref, FailureCause.START, "cannot");
        };
    }
}
