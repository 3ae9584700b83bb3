package dev.muster.agent;

import dev.muster.storage.ObjectLocation;
import dev.muster.storage.ObjectStoreException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Moves the data of one instance: in before the first start, out while it runs and at its end. */
final class DataSteps {

    private static final Logger LOG = LoggerFactory.getLogger(DataSteps.class);

    /** Of a store that fails, before the preparation fails. */
    private static final int MAX_TRIES = 5;

    private static final long FIRST_PAUSE_MILLIS = 500;
    private static final long LONGEST_PAUSE_MILLIS = 8000;

    private final InstancePlan plan;
    private final AgentSettings settings;
    private final Session session;
    private final ReentrantLock passing = new ReentrantLock();
    private final OutputSync whileRunning;
    private final Semaphore syncEnd = new Semaphore(0);
    private volatile boolean syncing;

    DataSteps(InstancePlan plan, AgentSettings settings, Session session) {
        this.plan = plan;
        this.settings = settings;
        this.session = session;
        this.whileRunning =
                new OutputSync(plan, settings, session, () -> !syncing || session.closed());
    }

    /**
     * Makes the folders and brings everything in; the marker comes last.
     *
     * @param cancelled asked often
     */
    void prepare(BooleanSupplier cancelled) throws IOException, StepFailure, InterruptedException {
        InstanceLayout layout;
        try {
            layout = new InstanceLayout(plan, LocalUser.of(plan));
            layout.make();
        } catch (IOException e) {
            throw unprepared(e);
        }
        DataIn in = new DataIn(plan, settings, layout, cancelled);
        for (int tries = 1; ; tries++) {
            try {
                in.bring();
                ControlFiles.write(plan.directories().control(), InstanceFacts.PREPARED, "");
                settings.failpoint().accept("agent.prepared");
                return;
            } catch (CancelledException e) {
                throw e;
            } catch (IOException e) {
                if (tries == MAX_TRIES || !mayPass(e)) {
                    throw unprepared(e);
                }
                LOG.warn("bringing in the data of {} is tried again: {}", plan.id(), e.toString());
                pause(tries, cancelled);
            }
        }
    }

    private static boolean mayPass(IOException e) {
        return !(e instanceof ObjectStoreException store)
                || store.reason() == ObjectStoreException.Reason.UNAVAILABLE;
    }

    private static StepFailure unprepared(IOException e) {
        return new StepFailure(
                InstanceFailure.Step.PREPARE, "the instance cannot be prepared: " + said(e));
    }

    /** The file is not named by all of the platform's messages. */
    private static String said(IOException e) {
        boolean isOwn = e instanceof ObjectStoreException || e.getClass() == IOException.class;
        return isOwn ? String.valueOf(e.getMessage()) : e.toString();
    }

    private static void pause(int tries, BooleanSupplier cancelled)
            throws IOException, InterruptedException {
        long millis = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << (tries - 1));
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() < end) {
            if (cancelled.getAsBoolean()) {
                throw new CancelledException();
            }
            Thread.sleep(50);
        }
    }

    /** From now on, outputs are carried out at the plan's interval. */
    void beginSync() {
        if (syncing || plan.outputs().isEmpty()) {
            return;
        }
        syncing = true;
        Thread.ofVirtual().name("sync-" + plan.id()).start(this::syncWhileRunning);
    }

    void endSync() {
        if (syncing) {
            syncing = false;
            syncEnd.release();
        }
    }

    private void syncWhileRunning() {
        try {
            while (!syncEnd.tryAcquire(plan.syncIntervalMillis(), TimeUnit.MILLISECONDS)) {
                passOnce();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void passOnce() {
        passing.lock();
        try {
            whileRunning.pass(false);
        } catch (CancelledException e) {
            LOG.debug("the sync of {} makes way for the last one", plan.id());
        } catch (IOException e) {
            LOG.warn("outputs of {} are carried out later: {}", plan.id(), said(e));
        } catch (RuntimeException e) {
            LOG.error("outputs of {} were not carried out", plan.id(), e);
        } finally {
            passing.unlock();
        }
    }

    /**
     * Carries outputs and logs out a last time; the marker comes last.
     *
     * @param cancelled asked often
     * @throws StepFailure if it does not succeed within the budget
     */
    void syncLast(BooleanSupplier cancelled) throws IOException, StepFailure, InterruptedException {
        endSync();
        passing.lock();
        try {
            OutputSync last = new OutputSync(plan, settings, session, cancelled);
            long deadline =
                    System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.syncBudgetMillis());
            for (int tries = 1; ; tries++) {
                try {
                    if (last.pass(true)) {
                        carryLogs(cancelled);
                        ControlFiles.write(plan.directories().control(), InstanceFacts.SYNCED, "");
                        settings.failpoint().accept("agent.synced");
                        return;
                    }
                } catch (CancelledException e) {
                    throw e;
                } catch (IOException e) {
                    if (!mayPass(e) || System.nanoTime() > deadline) {
                        throw new StepFailure(
                                InstanceFailure.Step.SYNC,
                                "the outputs cannot be carried out: " + said(e));
                    }
                    LOG.warn("the last sync of {} is tried again: {}", plan.id(), said(e));
                }
                pause(Math.min(tries, 5), cancelled);
            }
        } finally {
            passing.unlock();
        }
    }

    /** The files of the log folder; those of a later attempt lie beside those of the first. */
    private void carryLogs(BooleanSupplier cancelled) throws IOException {
        if (plan.logTarget().isEmpty()) {
            return;
        }
        InstanceId id = plan.id();
        ObjectLocation target =
                id.attempt() == 1 && id.incarnation() == 1
                        ? plan.logTarget().get()
                        : plan.logTarget()
                                .get()
                                .resolve("attempt-" + id.attempt() + "." + id.incarnation());
        Path folder = plan.directories().logs();
        SafeTree tree = new SafeTree(plan.root());
        tree.walk(
                folder,
                new SafeTree.Visitor() {
                    @Override
                    public void file(SafeTree.Found found) throws IOException {
                        Optional<ObjectLocation> object = objectFor(target, found.name());
                        if (object.isPresent()) {
                            carry(object.get(), folder.resolve(found.name()), found.version());
                        }
                    }

                    @Override
                    public void other(String name) {
                        LOG.debug("{} in the logs of {} is no regular file", name, id);
                    }

                    private void carry(ObjectLocation object, Path file, SafeTree.Version version)
                            throws IOException {
                        try (InputStream in =
                                new UnchangedInputStream(tree, file, version, cancelled)) {
                            settings.stores().serving(object).write(object, in, version.size());
                        }
                    }
                });
    }

    private static Optional<ObjectLocation> objectFor(ObjectLocation folder, String name) {
        try {
            return Optional.of(folder.resolve(name));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
