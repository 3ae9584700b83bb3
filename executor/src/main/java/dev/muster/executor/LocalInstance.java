package dev.muster.executor;

import dev.muster.agent.InstanceAgent;
import dev.muster.agent.InstanceEvent;
import dev.muster.agent.InstanceFailure;
import dev.muster.agent.ProcessIo;
import dev.muster.agent.Signals;
import dev.muster.domain.FailureCause;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.Level;
import dev.muster.platform.kafka.ProgressRecord;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A session's hold on one instance of this machine, from the order to make it on. Thread-safe. */
final class LocalInstance {

    private final InstanceRef instance;
    private final Consumer<InstanceChange> sink;
    private final CountDownLatch gone = new CountDownLatch(1);
    private InstanceOrder wanted = InstanceOrder.NOTHING;
    private @Nullable InstanceAgent agent;
    private boolean unmade;
    private boolean closed;

    LocalInstance(InstanceRef instance, Consumer<InstanceChange> sink) {
        this.instance = instance;
        this.sink = sink;
    }

    InstanceRef instance() {
        return instance;
    }

    /** Events of the instance's own thread come here. */
    void observed(InstanceEvent event) {
        InstanceChange change = change(event);
        if (change != null) {
            tell(change);
        }
    }

    synchronized void made(InstanceAgent own) {
        if (closed) {
            own.close();
            return;
        }
        agent = own;
        pass(own, wanted);
    }

    /** Nothing of it came into being. */
    void unmade(FailureCause cause, String message) {
        synchronized (this) {
            unmade = true;
        }
        tell(new InstanceChange.Failed(instance, cause, message));
        endUnmade();
    }

    void raise(InstanceOrder order) {
        synchronized (this) {
            if (!order.exceeds(wanted)) {
                return;
            }
            wanted = order;
            InstanceAgent own = agent;
            if (own != null) {
                pass(own, order);
            }
        }
        endUnmade();
    }

    private void endUnmade() {
        boolean over;
        synchronized (this) {
            over = unmade && !InstanceOrder.FINISH.exceeds(wanted);
        }
        if (over) {
            tell(new InstanceChange.Gone(instance));
        }
    }

    private static void pass(InstanceAgent own, InstanceOrder order) {
        switch (order.level()) {
            case NOTHING -> {}
            case PREPARE -> own.prepare();
            case START -> {
                endBefore(own, order);
                own.start(order.processStart());
            }
            case FINISH -> {
                if (order.hungIncident() > 0) {
                    own.stopHung(order.processStart(), order.hungIncident());
                }
                own.finish();
            }
            case KILL -> own.kill();
        }
    }

    private static void endBefore(InstanceAgent own, InstanceOrder order) {
        int last = order.processStart() - 1;
        if (last > 0 && order.hungIncident() > 0) {
            own.stopHung(last, order.hungIncident());
        } else if (last > 0) {
            own.stop(last);
        }
    }

    /**
     * What was heard of it; empty before its first start.
     *
     * @param running only as long as its command runs
     */
    Optional<ProgressRecord.Signal> signal(ProcessIo io, boolean running) {
        InstanceAgent own;
        synchronized (this) {
            own = agent;
        }
        if (own == null) {
            return Optional.empty();
        }
        Signals heard = own.signals();
        return heard.processStart() == 0 || (running && !heard.running())
                ? Optional.empty()
                : Optional.of(signal(heard, io.bytes(own.plan().root())));
    }

    private ProgressRecord.Signal signal(Signals heard, long ioBytes) {
        return new ProgressRecord.Signal(
                instance,
                heard.processStart(),
                heard.runMillis(),
                heard.silentMillis(),
                heard.logBytes(),
                ioBytes,
                heard.step(),
                heard.checkpoint(),
                heard.failure());
    }

    private void tell(InstanceChange change) {
        if (change instanceof InstanceChange.Gone) {
            gone.countDown();
        }
        synchronized (this) {
            if (closed) {
                return;
            }
        }
        sink.accept(change);
    }

    /** Whether nothing of it was left within this time. */
    boolean awaitGone(long millis) throws InterruptedException {
        return gone.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Gives it up without touching it. */
    synchronized void close() {
        closed = true;
        InstanceAgent own = agent;
        agent = null;
        if (own != null) {
            own.close();
        }
    }

    private @Nullable InstanceChange change(InstanceEvent event) {
        return switch (event) {
            case InstanceEvent.Prepared _ -> new InstanceChange.Prepared(instance);
            case InstanceEvent.Started e -> new InstanceChange.Started(instance, e.processStart());
            case InstanceEvent.Exited e ->
                    new InstanceChange.Exited(instance, e.processStart(), e.exitCode());
            case InstanceEvent.Synced _ -> null;
            case InstanceEvent.Failed e ->
                    new InstanceChange.Failed(
                            instance, cause(e.failure().step()), e.failure().message());
            case InstanceEvent.Gone _ -> new InstanceChange.Gone(instance);
            case InstanceEvent.EvidenceKept e ->
                    new InstanceChange.EvidenceKept(
                            instance, e.processStart(), e.incident(), e.location());
            case InstanceEvent.Signalled e -> new InstanceChange.Signalled(signal(e.signals(), 0));
            case InstanceEvent.Noticed e ->
                    new InstanceChange.Noticed(instance, Level.WARNING, e.message());
        };
    }

    private static FailureCause cause(InstanceFailure.Step step) {
        return switch (step) {
            case PREPARE -> FailureCause.PREPARATION;
            case START -> FailureCause.START;
            case SYNC -> FailureCause.OUTPUT_SYNC;
            case SUPERVISOR -> FailureCause.INSTANCE_LOST;
        };
    }
}
