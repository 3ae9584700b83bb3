package dev.muster.agent;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Runs one instance: brings its data in, starts and stops its command, carries its data out, and
 * ends it. The instance lives on its own: it survives this process, and a later one adopts it from
 * its directory.
 *
 * <p>Calls say what is wanted, return at once and may be repeated at any time, by any process that
 * adopted the instance, in any order: what was done already is not done again. What became true is
 * told to the listener and seen in {@link #observe()}. A failure ({@link InstanceEvent.Failed}) is
 * final for this incarnation: it remains to kill it.
 *
 * <p>Thread-safe. Work is done on a virtual thread of the instance's own.
 */
public final class InstanceAgent implements AutoCloseable {

    private final InstanceWorker worker;

    private InstanceAgent(InstanceWorker worker) {
        this.worker = worker;
    }

    /**
     * Makes the instance's directory and writes the plan into it. If a plan lies there already, it
     * is the one that counts: this is the same as {@link #adopt}.
     */
    public static InstanceAgent create(
            InstancePlan plan, AgentSettings settings, InstanceListener listener)
            throws IOException {
        InstancePlan counts = PlanFile.writeIfAbsent(plan);
        settings.failpoint().accept("agent.planned");
        return begin(counts, settings, listener);
    }

    /**
     * Takes over an instance whose plan lies below {@code root}, in whatever state it is. The
     * listener is told all that holds already.
     *
     * @throws java.nio.file.NoSuchFileException if no plan lies there: nothing was started there
     */
    public static InstanceAgent adopt(Path root, AgentSettings settings, InstanceListener listener)
            throws IOException {
        return begin(PlanFile.read(root), settings, listener);
    }

    private static InstanceAgent begin(
            InstancePlan plan, AgentSettings settings, InstanceListener listener) {
        InstanceWorker worker = new InstanceWorker(plan, settings, listener);
        worker.begin();
        return new InstanceAgent(worker);
    }

    public InstancePlan plan() {
        return worker.plan();
    }

    /** Brings code, inputs and pre-downloaded outputs in. */
    public void prepare() {
        worker.want(wanted -> wanted.withPrepare());
    }

    /**
     * Prepares if need be, then starts the command under this number, once, whatever happens. An
     * earlier start has to have ended; numbers may be left out, but one below the last used is
     * ignored.
     *
     * @param processStart from 1
     */
    public void start(int processStart) {
        if (processStart < 1) {
            throw new IllegalArgumentException("process starts count from 1: " + processStart);
        }
        worker.want(wanted -> wanted.withStart(processStart));
    }

    /**
     * Ends this process start: SIGTERM to all its processes, after the plan's grace SIGKILL. If it
     * was not started yet, its number is spent. Nothing happens once a later one is current.
     */
    public void stop(int processStart) {
        worker.want(wanted -> wanted.withStop(processStart));
    }

    /**
     * Ends a process start that hangs, at once: its threads are looked at, Python and Java are made
     * to say their stacks, and what is left is killed within seconds. What was found is kept in the
     * object store ({@link InstanceEvent.EvidenceKept}). A later start need not wait for that.
     *
     * @param incident that the evidence is filed under
     */
    public void stopHung(int processStart, int incident) {
        worker.want(wanted -> wanted.withDump(processStart, incident));
    }

    /**
     * Stops what runs, carries outputs and logs out a last time, lets the supervisor leave. A sync
     * that fails is repeated within its budget.
     */
    public void finish() {
        worker.want(wanted -> wanted.withFinish());
    }

    /** Kills all processes at once, without a sync. The files stay. */
    public void kill() {
        worker.want(wanted -> wanted.withKill());
    }

    /** Kills all processes and deletes the instance's directory. */
    public void remove() {
        worker.want(wanted -> wanted.withRemove());
    }

    /** Reads what holds now from the instance's files and processes; a few file reads. */
    public InstanceObservation observe() {
        return worker.observe();
    }

    /** What was heard so far, up to a second ago; process start 0 before the first. */
    public Signals signals() {
        return worker.signals();
    }

    /** The log of the command, from its beginning over all process starts. */
    public InstanceLog log() {
        return new InstanceLog(plan().root(), plan().id());
    }

    /** Gives the instance up without touching it: it runs on, to be adopted again. */
    @Override
    public void close() {
        worker.close();
    }
}
