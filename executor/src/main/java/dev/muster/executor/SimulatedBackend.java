package dev.muster.executor;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;

import org.jspecify.annotations.Nullable;

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
 * Instances without processes: each runs for its declared time and ends with its declared code. For
 * benchmarks and load tests. They live in this process's memory and need no thread of their own.
 */
final class SimulatedBackend implements InstanceBackend {

    /** Milliseconds that an instance runs: a variable of the job's environment. */
    static final String RUN_MILLIS = "SIMULATED_RUN_MILLIS";

    /** Its exit code: a variable of the job's environment. */
    static final String EXIT_CODE = "SIMULATED_EXIT_CODE";

    private final List<BackendNode> nodes;
    private final long runMillis;
    private final ScheduledThreadPoolExecutor clock;
    private final Map<JobId, Map<InstanceRef, SimulatedInstance>> world = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable Consumer<InstanceChange>> sink =
            new AtomicReference<>();

    /**
     * @param runMillis of instances that declare none
     */
    SimulatedBackend(List<BackendNode> nodes, long runMillis) {
        this.nodes = List.copyOf(nodes);
        this.runMillis = runMillis;
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
        public Set<InstanceRef> existing() {
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
        public void close() {
            sink.compareAndSet(own, null);
        }
    }

    private @Nullable SimulatedInstance find(InstanceRef instance) {
        Map<InstanceRef, SimulatedInstance> all = world.get(instance.job());
        return all == null ? null : all.get(instance);
    }

    private SimulatedInstance create(Grant grant, InstanceRef instance) {
        Map<String, String> environment = grant.spec().environment();
        SimulatedInstance made =
                new SimulatedInstance(
                        instance,
                        number(environment.get(RUN_MILLIS), runMillis),
                        (int) number(environment.get(EXIT_CODE), 0),
                        clock,
                        this::tell);
        world.computeIfAbsent(instance.job(), _ -> new ConcurrentHashMap<>(2)).put(instance, made);
        return made;
    }

    private static long number(@Nullable String text, long otherwise) {
        if (text == null) {
            return otherwise;
        }
        try {
            return Math.max(0, Long.parseLong(text.strip()));
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }
}
