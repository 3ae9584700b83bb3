package dev.muster.executor;

import dev.muster.agent.InstanceAgent;
import dev.muster.agent.ProcessIo;
import dev.muster.domain.FailureCause;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.platform.kafka.ProgressRecord;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One session with the instances of this machine. Each instance is made or adopted on a virtual
 * thread of its own, a bounded number at a time; from then on its agent's thread does the work.
 */
final class LocalSession implements BackendSession {

    private static final Logger LOG = LoggerFactory.getLogger(LocalSession.class);
    private static final long RETRY_SECONDS = 5;
    private static final long GONE_MILLIS = 5_000;

    private final LocalMachine machine;
    private final Consumer<InstanceChange> sink;
    private final Map<InstanceRef, LocalInstance> instances = new ConcurrentHashMap<>();
    private volatile ProcessIo io = ProcessIo.NONE;
    private volatile boolean closed;

    LocalSession(LocalMachine machine, Consumer<InstanceChange> sink) {
        this.machine = machine;
        this.sink = sink;
    }

    @Override
    public Set<InstanceRef> existing() throws IOException {
        Set<InstanceRef> found = new HashSet<>();
        for (InstanceTree.Attempt attempt : machine.tree().attempts()) {
            if (!machine.tree().hasEnded(attempt)) {
                machine.meetings().remember(attempt);
                for (InstanceRef each : machine.tree().instances(attempt)) {
                    if (machine.hasPlan(each)) {
                        found.add(each);
                    }
                }
            }
        }
        return found;
    }

    @Override
    public void adopt(InstanceRef instance) {
        LocalInstance own = new LocalInstance(instance, sink);
        if (instances.putIfAbsent(instance, own) == null) {
            begin(own, () -> takeOver(own));
        }
    }

    @Override
    public void make(Grant grant, InstanceRef instance, InstanceOrder order) {
        LocalInstance own = new LocalInstance(instance, sink);
        LocalInstance earlier = instances.putIfAbsent(instance, own);
        LocalInstance one = earlier == null ? own : earlier;
        one.raise(order);
        if (earlier == null) {
            begin(own, () -> create(grant, own));
        }
    }

    @Override
    public void raise(InstanceRef instance, InstanceOrder order) {
        LocalInstance own = instances.get(instance);
        if (own != null) {
            own.raise(order);
        } else if (!InstanceOrder.FINISH.exceeds(order)) {
            sink.accept(new InstanceChange.Gone(instance));
        }
    }

    @Override
    public void release(JobId job, int attempt) {
        List<LocalInstance> held = new ArrayList<>();
        for (LocalInstance each : instances.values()) {
            if (each.instance().job().equals(job) && each.instance().attempt() == attempt) {
                held.add(each);
            }
        }
        Thread.ofVirtual()
                .name("release-" + job)
                .start(() -> end(new InstanceTree.Attempt(job, attempt), held));
    }

    @Override
    public List<ProgressRecord.Signal> signals() throws IOException {
        ProcessIo looked = ProcessIo.look();
        io = looked;
        List<ProgressRecord.Signal> found = new ArrayList<>();
        for (LocalInstance each : instances.values()) {
            each.signal(looked, true).ifPresent(found::add);
        }
        return found;
    }

    @Override
    public List<ProgressRecord.Signal> signals(JobId job) {
        List<ProgressRecord.Signal> found = new ArrayList<>();
        for (LocalInstance each : instances.values()) {
            if (each.instance().job().equals(job)) {
                each.signal(io, false).ifPresent(found::add);
            }
        }
        return found;
    }

    @Override
    public void close() {
        closed = true;
        instances.values().forEach(LocalInstance::close);
        instances.clear();
    }

    private void begin(LocalInstance own, Runnable step) {
        Thread.ofVirtual()
                .name("make-" + own.instance())
                .start(() -> {
                    try {
                        machine.turns().acquire();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        return;
                    }
                    try {
                        if (!closed) {
                            step.run();
                        }
                    } finally {
                        machine.turns().release();
                    }
                });
    }

    private void create(Grant grant, LocalInstance own) {
        Path root = machine.tree().instance(own.instance());
        try {
            own.made(
                    InstanceAgent.create(
                            machine.plan(grant, own.instance(), root),
                            machine.agents(),
                            own::observed));
        } catch (IOException e) {
            LOG.warn("instance {} cannot be made", own.instance(), e);
            own.unmade(
                    FailureCause.PREPARATION,
                    "the instance cannot be made in " + root + ": " + Sentences.of(e));
        } catch (IllegalArgumentException e) {
            own.unmade(FailureCause.PREPARATION, String.valueOf(e.getMessage()));
        }
    }

    private void takeOver(LocalInstance own) {
        Path root = machine.tree().instance(own.instance());
        try {
            own.made(InstanceAgent.adopt(root, machine.agents(), own::observed));
        } catch (NoSuchFileException e) {
            LOG.warn("instance {} vanished from {}", own.instance(), root);
            own.unmade(FailureCause.INSTANCE_LOST, "the files of the instance are gone: " + root);
        } catch (IOException e) {
            LOG.error("instance {} cannot be adopted yet", own.instance(), e);
            later(() -> takeOver(own));
        }
    }

    private void later(Runnable step) {
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        TimeUnit.SECONDS.sleep(RETRY_SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        return;
                    }
                    if (!closed) {
                        step.run();
                    }
                });
    }

    /** Kills what is left of an ended attempt, then leaves its files to the retention. */
    private void end(InstanceTree.Attempt attempt, List<LocalInstance> held) {
        try {
            List<LocalInstance> all = new ArrayList<>(held);
            Set<InstanceRef> known = new HashSet<>();
            held.forEach(each -> known.add(each.instance()));
            for (InstanceRef each : machine.tree().instances(attempt)) {
                if (!known.contains(each) && machine.hasPlan(each)) {
                    LocalInstance unknown = new LocalInstance(each, _ -> {});
                    unknown.made(
                            InstanceAgent.adopt(
                                    machine.tree().instance(each),
                                    machine.agents(),
                                    unknown::observed));
                    all.add(unknown);
                }
            }
            all.forEach(each -> each.raise(InstanceOrder.KILL));
            for (LocalInstance each : all) {
                while (!each.awaitGone(GONE_MILLIS)) {
                    LOG.warn("instance {} was killed and is not gone yet", each.instance());
                    if (closed) {
                        return;
                    }
                }
            }
            all.forEach(LocalInstance::close);
            held.forEach(each -> instances.remove(each.instance(), each));
            machine.ended(attempt);
        } catch (IOException e) {
            LOG.warn("attempt {} of job {} is released later", attempt.number(), attempt.job(), e);
            later(() -> end(attempt, held));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
