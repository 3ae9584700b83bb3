package dev.muster.agent;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * The thread of one instance: compares what is wanted with what the files say, takes the next step,
 * and tells what became true.
 */
final class InstanceWorker implements Session {

    private static final Logger LOG = LoggerFactory.getLogger(InstanceWorker.class);

    /** After a step that failed for a reason that may pass, such as a full disk. */
    private static final long RETRY_MILLIS = 1000;

    private final InstancePlan plan;
    private final AgentSettings settings;
    private final InstanceListener listener;
    private final SignalWatch watch;
    private final InstanceSteps steps;
    private final Semaphore signal = new Semaphore(0);

    /** At most a handful per process start; notices at most one per output. */
    private final Set<InstanceEvent> told = new HashSet<>();

    /** Whether the log could not be read at the last look; of the instance's own thread. */
    private boolean deaf;

    private volatile Wanted wanted = Wanted.NOTHING;
    private volatile boolean closed;

    InstanceWorker(InstancePlan plan, AgentSettings settings, InstanceListener listener) {
        this.plan = plan;
        this.settings = settings;
        this.listener = listener;
        this.watch = new SignalWatch(plan);
        this.steps =
                new InstanceSteps(
                        plan,
                        settings,
                        this,
                        new EvidenceKeeper(plan, settings, this, watch::signals));
    }

    InstancePlan plan() {
        return plan;
    }

    void begin() {
        Thread.ofVirtual().name("instance-" + plan.id()).start(this::run);
    }

    void want(UnaryOperator<Wanted> change) {
        synchronized (signal) {
            wanted = change.apply(wanted);
        }
        wake();
    }

    InstanceObservation observe() {
        try {
            return InstanceFacts.read(plan).observation();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Signals signals() {
        return watch.signals();
    }

    void close() {
        closed = true;
        wake();
    }

    @Override
    public Wanted wanted() {
        return wanted;
    }

    @Override
    public boolean closed() {
        return closed;
    }

    @Override
    public void wake() {
        if (signal.availablePermits() == 0) {
            signal.release();
        }
    }

    @Override
    public void tell(InstanceEvent event) {
        tell(event, "");
    }

    /** Notices come from the thread of the sync as well. */
    private synchronized void tell(InstanceEvent event, String failpoint) {
        if (closed || !told.add(event)) {
            return;
        }
        if (!failpoint.isEmpty()) {
            settings.failpoint().accept(failpoint);
        }
        pass(event);
    }

    private synchronized void pass(InstanceEvent event) {
        try {
            listener.observed(event);
        } catch (RuntimeException e) {
            LOG.error("the listener of {} failed on {}", plan.id(), event, e);
        }
    }

    private void run() {
        try (DirectoryWatch.Registration _ =
                DirectoryWatch.register(plan.directories().control(), this::wake)) {
            while (!closed) {
                long pauseMillis = step();
                if (pauseMillis < 0) {
                    return;
                }
                if (signal.tryAcquire(pauseMillis, TimeUnit.MILLISECONDS)) {
                    signal.drainPermits();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            steps.close();
        }
    }

    /** Milliseconds until the next look; negative when nothing is left to do, ever. */
    private long step() throws InterruptedException {
        try {
            InstanceFacts facts = InstanceFacts.read(plan, steps::namespace);
            // first, so that an end is told after all that was printed before it
            long untilSilence = listen(facts);
            tellAll(facts);
            long pauseMillis = steps.next(facts);
            return pauseMillis < 0 ? pauseMillis : Math.min(pauseMillis, untilSilence);
        } catch (IOException e) {
            LOG.warn("a step of {} failed and is repeated: {}", plan.id(), e.toString());
            return RETRY_MILLIS;
        } catch (RuntimeException e) {
            LOG.error("a step of {} failed and is repeated", plan.id(), e);
            return RETRY_MILLIS;
        }
    }

    /** The log lies where the command can move it: what becomes of it holds up no step. */
    private long listen(InstanceFacts facts) {
        try {
            long untilSilence = watch.look(facts, this::tellSignals);
            deaf = false;
            return untilSilence;
        } catch (IOException e) {
            if (!deaf) {
                LOG.warn("nothing is heard of {}: {}", plan.id(), e.toString());
            }
            deaf = true;
            return SignalWatch.NEVER;
        }
    }

    private void tellSignals(Signals signals) {
        if (!closed) {
            pass(new InstanceEvent.Signalled(plan.id(), signals));
        }
    }

    private void tellAll(InstanceFacts facts) {
        InstanceId id = plan.id();
        if (facts.prepared()) {
            tell(new InstanceEvent.Prepared(id));
        }
        for (StateFile.Recorded start : facts.state().starts()) {
            if (start.starts > 0) {
                tell(new InstanceEvent.Started(id, start.number), "agent.started");
            }
            if (start.ended() && (start.cleared || facts.gone())) {
                int code = start.exitCode.getAsInt();
                tell(new InstanceEvent.Exited(id, start.number, code), "agent.exited");
            }
        }
        facts.failure().ifPresent(failure -> tell(new InstanceEvent.Failed(id, failure)));
        if (facts.synced()) {
            tell(new InstanceEvent.Synced(id));
        }
        if (facts.gone()) {
            tell(new InstanceEvent.Gone(id));
        }
    }
}
