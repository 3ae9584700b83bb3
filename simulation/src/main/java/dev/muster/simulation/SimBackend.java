package dev.muster.simulation;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.NodeId;
import dev.muster.domain.NodeShape;
import dev.muster.domain.Report;
import dev.muster.executor.BackendSession;
import dev.muster.executor.Grant;
import dev.muster.executor.InstanceChange;
import dev.muster.executor.InstanceOrder;
import dev.muster.platform.kafka.ProgressRecord;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The machine on which instances live; it outlives executors and their sessions. */
final class SimBackend {

    private final World world;
    private final Map<InstanceRef, SimInstance> instances = new LinkedHashMap<>();
    private final Set<String> ended = new HashSet<>();
    private final List<Session> sessions = new ArrayList<>();
    private final long[] lostUntil = new long[World.NODES];
    private final Map<Object, boolean[]> lostAsTold = new HashMap<>();

    SimBackend(World world) {
        this.world = world;
    }

    BackendSession open(SimProcess owner, Consumer<InstanceChange> sink) {
        Session session = new Session(owner, sink);
        sessions.removeIf(each -> !each.lives());
        sessions.add(session);
        return session;
    }

    static NodeId node(int number) {
        return new NodeId("node-" + number);
    }

    static NodeShape shape(int number) {
        return new NodeShape(32_000, 64_000, number % 2 == 0 ? "A100" : "Ascend910", 4, "");
    }

    /** What an executor says first of the nodes. */
    List<Report> nodes(long epoch, Object term) {
        List<Report> all = new ArrayList<>();
        boolean[] told = lostAsTold.computeIfAbsent(term, _ -> new boolean[World.NODES]);
        for (int number = 0; number < World.NODES; number++) {
            told[number] = !ready(number);
            all.add(new Report.NodeObserved(epoch, node(number), shape(number), ready(number)));
        }
        return all;
    }

    private boolean ready(int number) {
        return world.clock.now() >= lostUntil[number];
    }

    /** Nodes that changed since this term asked last. */
    List<Report> changedNodes(long epoch, Object term) {
        boolean[] before = lostAsTold.computeIfAbsent(term, _ -> new boolean[World.NODES]);
        List<Report> changed = new ArrayList<>();
        for (int number = 0; number < World.NODES; number++) {
            if (before[number] == ready(number)) {
                before[number] = !ready(number);
                changed.add(
                        new Report.NodeObserved(epoch, node(number), shape(number), ready(number)));
            }
        }
        return changed;
    }

    void loseNode(int number, long millis) {
        lostUntil[number] = Math.max(lostUntil[number], world.clock.now() + millis);
    }

    Collection<SimInstance> instances() {
        return instances.values();
    }

    @Nullable SimInstance find(InstanceRef ref) {
        return instances.get(ref);
    }

    /** Tells all sessions that know the instance; those of dead processes hear nothing. */
    void tell(InstanceChange change) {
        for (Session each : List.copyOf(sessions)) {
            each.hear(change);
        }
    }

    private static String attempt(JobId job, int attempt) {
        return job + "." + attempt;
    }

    /** As one executor holds it. Calls of a process that is dead reach nothing. */
    private final class Session implements BackendSession {

        private final SimProcess owner;
        private final int life;
        private final Consumer<InstanceChange> sink;
        private final Set<InstanceRef> known = new HashSet<>();
        private boolean closed;

        Session(SimProcess owner, Consumer<InstanceChange> sink) {
            this.owner = owner;
            this.life = owner.life();
            this.sink = sink;
        }

        boolean lives() {
            return !closed && owner.alive() && owner.life() == life;
        }

        void hear(InstanceChange change) {
            if (lives() && known.contains(change.instance())) {
                sink.accept(change);
            }
        }

        @Override
        public Set<InstanceRef> existing() {
            Set<InstanceRef> found = new HashSet<>();
            for (InstanceRef each : instances.keySet()) {
                if (!ended.contains(attempt(each.job(), each.attempt()))) {
                    found.add(each);
                }
            }
            return found;
        }

        @Override
        public void adopt(InstanceRef instance) {
            SimInstance found = instances.get(instance);
            if (found != null && owner.reach("adopt") && known.add(instance)) {
                found.holds().forEach(this::hear);
            }
        }

        @Override
        public void make(Grant grant, InstanceRef instance, InstanceOrder order) {
            if (!owner.reach("make")) {
                return;
            }
            SimInstance found = instances.get(instance);
            if (found == null) {
                found = new SimInstance(world, instance, grant.spec());
                instances.put(instance, found);
                known.add(instance);
                found.prepare();
            } else {
                adopt(instance);
            }
            found.raise(order);
        }

        @Override
        public void raise(InstanceRef instance, InstanceOrder order) {
            if (!owner.reach("raise")) {
                return;
            }
            SimInstance found = known.contains(instance) ? instances.get(instance) : null;
            if (found != null) {
                found.raise(order);
            } else if (order.ends()) {
                sink.accept(new InstanceChange.Gone(instance));
            }
        }

        @Override
        public void release(JobId job, int attempt) {
            if (!owner.reach("release")) {
                return;
            }
            for (SimInstance each : List.copyOf(instances.values())) {
                if (each.ref().job().equals(job) && each.ref().attempt() == attempt) {
                    each.raise(InstanceOrder.KILL);
                    known.remove(each.ref());
                }
            }
            ended.add(attempt(job, attempt));
        }

        @Override
        public List<ProgressRecord.Signal> signals() {
            List<ProgressRecord.Signal> found = new ArrayList<>();
            for (InstanceRef each : instances.keySet()) {
                SimInstance instance = instances.get(each);
                if (known.contains(each) && instance != null) {
                    instance.signal().ifPresent(found::add);
                }
            }
            return found;
        }

        @Override
        public List<ProgressRecord.Signal> signals(JobId job) {
            return signals().stream().filter(each -> each.instance().job().equals(job)).toList();
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
