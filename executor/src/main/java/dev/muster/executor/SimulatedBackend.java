package dev.muster.executor;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.platform.kafka.ProgressRecord;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Instances without processes: each runs as its job's environment declares ({@link
 * SimulatedCourse}). For benchmarks and load tests. They live in this process's memory, need no
 * thread of their own, and are left to the next session by a file where there is a directory for
 * it.
 */
final class SimulatedBackend implements InstanceBackend {

    private static final Logger LOG = LoggerFactory.getLogger(SimulatedBackend.class);

    private final List<BackendNode> nodes;
    private final long runMillis;
    private final @Nullable SimulatedHandover handover;
    private final ScheduledThreadPoolExecutor clock;
    private final Map<JobId, Map<InstanceRef, SimulatedInstance>> world = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable Consumer<InstanceChange>> sink =
            new AtomicReference<>();

    /**
     * @param runMillis of instances that declare none
     * @param handover null where instances need not outlive this process
     */
    SimulatedBackend(
            List<BackendNode> nodes, long runMillis, @Nullable SimulatedHandover handover) {
        this.nodes = List.copyOf(nodes);
        this.runMillis = runMillis;
        this.handover = handover;
        this.clock =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().daemon().name("simulated-instances").factory());
        clock.setRemoveOnCancelPolicy(true);
    }

    @Override
    public List<BackendNode> nodes() {
        return nodes;
    }

    @Override
    public BackendSession open(Consumer<InstanceChange> to) {
        sink.set(to);
        return new Session(to);
    }

    @Override
    public Optional<ReadableLog> log(JobId job, int attempt, int index) {
        return Optional.empty();
    }

    @Override
    public List<InstanceRecord> instances() {
        List<InstanceRecord> records = new ArrayList<>();
        world.values().forEach(all -> all.values().forEach(each -> records.add(each.inspect())));
        return records;
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }

    private void tell(InstanceChange change) {
        Consumer<InstanceChange> to = sink.get();
        if (to != null) {
            to.accept(change);
        }
    }

    private final class Session implements BackendSession {

        private final Consumer<InstanceChange> own;

        Session(Consumer<InstanceChange> own) {
            this.own = own;
        }

        @Override
        public Set<InstanceRef> existing() throws IOException {
            if (handover != null) {
                handover.take().forEach(SimulatedBackend.this::resume);
            }
            Set<InstanceRef> found = new HashSet<>();
            world.values().forEach(all -> found.addAll(all.keySet()));
            return found;
        }

        @Override
        public void adopt(InstanceRef instance) {
            SimulatedInstance found = find(instance);
            if (found != null) {
                found.tellAll();
            }
        }

        @Override
        public void make(Grant grant, InstanceRef instance, InstanceOrder order) {
            SimulatedInstance found = find(instance);
            if (found == null) {
                found = create(grant, instance);
            } else {
                found.tellAll();
            }
            found.raise(order);
        }

        @Override
        public void raise(InstanceRef instance, InstanceOrder order) {
            SimulatedInstance found = find(instance);
            if (found != null) {
                found.raise(order);
            } else if (!InstanceOrder.FINISH.exceeds(order)) {
                tell(new InstanceChange.Gone(instance));
            }
        }

        @Override
        public void release(JobId job, int attempt) {
            world.computeIfPresent(
                    job,
                    (_, all) -> {
                        all.values().removeIf(each -> each.endOf(attempt));
                        return all.isEmpty() ? null : all;
                    });
        }

        @Override
        public List<ProgressRecord.Signal> signals() {
            List<ProgressRecord.Signal> found = new ArrayList<>();
            world.values()
                    .forEach(all ->
                            all.values().forEach(each -> each.signal().ifPresent(found::add)));
            return found;
        }

        @Override
        public List<ProgressRecord.Signal> signals(JobId job) {
            List<ProgressRecord.Signal> found = new ArrayList<>();
            world.getOrDefault(job, Map.of())
                    .values()
                    .forEach(each -> each.signal().ifPresent(found::add));
            return found;
        }

        @Override
        public void close() {
            if (sink.compareAndSet(own, null) && handover != null) {
                leaveAll(handover);
            }
        }
    }

    private void leaveAll(SimulatedHandover to) {
        List<SimulatedState> left = new ArrayList<>();
        world.values().forEach(all -> all.values().forEach(each -> left.add(each.leave())));
        world.clear();
        try {
            to.leave(left);
        } catch (IOException e) {
            LOG.error("{} simulated instances are lost", left.size(), e);
        }
    }

    private void resume(SimulatedState left) {
        add(left).resume();
    }

    private @Nullable SimulatedInstance find(InstanceRef instance) {
        Map<InstanceRef, SimulatedInstance> all = world.get(instance.job());
        return all == null ? null : all.get(instance);
    }

    private SimulatedInstance create(Grant grant, InstanceRef instance) {
        SimulatedCourse course = SimulatedCourse.of(grant.spec(), runMillis);
        return add(SimulatedState.fresh(instance, course));
    }

    private SimulatedInstance add(SimulatedState state) {
        InstanceRef instance = state.instance();
        SimulatedInstance made = new SimulatedInstance(state, clock, this::tell);
        world.computeIfAbsent(instance.job(), _ -> new ConcurrentHashMap<>(2)).put(instance, made);
        return made;
    }
}
