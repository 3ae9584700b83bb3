package dev.muster.agent;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The next step of an instance, from what is wanted and what is so. A step that was interrupted is
 * simply taken again: each leaves either nothing or a file by which the next look knows it.
 *
 * <p>Methods return how many milliseconds may pass until the next look, if nothing is heard before.
 */
final class InstanceSteps {

    private static final Logger LOG = LoggerFactory.getLogger(InstanceSteps.class);

    static final long DONE = -1;
    private static final long AT_ONCE = 0;

    /** While an answer of the supervisor is due; it is rung for again. */
    private static final long DUE_MILLIS = 250;

    /** A command may have killed the listener; its processes are then killed from here. */
    private static final long UNHEARD_MILLIS = 2000;

    /** While something lives: whether it still does. */
    private static final long ALIVE_MILLIS = 1000;

    private static final long IDLE_MILLIS = 60_000;

    /** While a supervisor that said good-bye ends, which nothing else tells. */
    private static final long LEAVING_MILLIS = 5;

    private static final long LONGEST_LEAVING_MILLIS = 2000;

    /** The supervisor takes at most 3 s for it. */
    private static final long DUMP_MILLIS = 4000;

    /** How long an instance that is to end waits for its evidence to be in the store. */
    private static final long EVIDENCE_MILLIS = 30_000;

    private static final InstanceFailure DIED =
            new InstanceFailure(
                    InstanceFailure.Step.SUPERVISOR,
                    "the supervisor of the instance died, or the machine restarted; all its"
                            + " processes have ended");

    private final InstancePlan plan;
    private final AgentSettings settings;
    private final Session session;
    private final Path control;
    private final SupervisorControl supervisor;
    private final Termination termination;
    private final DataSteps data;
    private final EvidenceKeeper evidence;

    /** The order whose answer is due, and since when; an order is due anew in each process. */
    private String dueOrder = "";

    private long dueSinceNanos;
    private boolean launched;

    /** What this process launched to hold a namespace; 0 for nothing. */
    private long holder;

    /** The last process start whose command this process sent SIGTERM, without a namespace. */
    private int asked;

    InstanceSteps(
            InstancePlan plan, AgentSettings settings, Session session, EvidenceKeeper evidence) {
        this.plan = plan;
        this.settings = settings;
        this.session = session;
        this.evidence = evidence;
        this.control = plan.directories().control();
        this.supervisor = new SupervisorControl(plan, settings);
        this.termination = new Termination(plan);
        this.data = new DataSteps(plan, settings, session);
    }

    void close() {
        data.endSync();
    }

    InstanceFacts.Namespace namespace() {
        if (holder == 0) {
            return InstanceFacts.Namespace.UNKNOWN;
        }
        return Supervisors.hasEnded(holder)
                ? InstanceFacts.Namespace.EMPTIED
                : InstanceFacts.Namespace.HELD;
    }

    private boolean isLeaving(InstanceFacts facts) {
        return facts.state().left()
                && (facts.supervisorLives() || namespace() == InstanceFacts.Namespace.HELD);
    }

    long next(InstanceFacts facts) throws IOException, InterruptedException {
        Wanted wanted = session.wanted();
        try {
            evidence.settle(facts);
            if (wanted.kill()) {
                return kill(facts, wanted);
            } else if (facts.ended()) {
                return settleEnd(facts, wanted);
            } else if (isLeaving(facts) && dueForMillis("leave") < LONGEST_LEAVING_MILLIS) {
                return LEAVING_MILLIS;
            } else if (facts.supervisor().isPresent() && !facts.supervisorLives()) {
                termination.killAll(); // what it left behind
                return AT_ONCE;
            } else if (wanted.finish()) {
                return finish(facts);
            } else if (facts.failure().isPresent()) {
                return ALIVE_MILLIS;
            } else if (facts.busy()) {
                return supervise(facts, wanted);
            }
            return goOn(facts, wanted);
        } catch (StepFailure e) {
            return fail(e.failure());
        } catch (CancelledException e) {
            return AT_ONCE;
        }
    }

    private long kill(InstanceFacts facts, Wanted wanted) throws IOException, InterruptedException {
        data.endSync();
        if (!facts.gone()) {
            supervisor.desire(SupervisorControl.QUIT); // one that comes late starts nothing
            termination.killAll();
            mark(InstanceFacts.GONE, "agent.killed");
            return AT_ONCE;
        }
        if (wanted.remove()) {
            InstanceTree.delete(plan.root());
            settings.failpoint().accept("agent.removed");
            return DONE;
        }
        return IDLE_MILLIS;
    }

    /** No process is left: by order, or because the supervisor, or the machine, died. */
    private long settleEnd(InstanceFacts facts, Wanted wanted)
            throws IOException, StepFailure, InterruptedException {
        data.endSync();
        if (wanted.finish() && syncIsDue(facts)) {
            syncLast();
            return AT_ONCE;
        }
        if (facts.gone()) {
            return IDLE_MILLIS;
        }
        if (!facts.state().left() && facts.failure().isEmpty()) {
            return fail(DIED);
        }
        mark(InstanceFacts.GONE, "agent.gone");
        return AT_ONCE;
    }

    private long finish(InstanceFacts facts) throws IOException, StepFailure, InterruptedException {
        if (facts.busy()) {
            StateFile.Recorded current = facts.current().orElseThrow();
            return current.ended() ? clear(facts, current) : stop(facts, current.number);
        }
        if (syncIsDue(facts)) {
            syncLast();
        }
        if (evidence.isCarrying() && dueForMillis("evidence") < EVIDENCE_MILLIS) {
            return DUE_MILLIS; // or nobody would be left to tell where it lies
        }
        if (facts.supervisor().isEmpty()) {
            // none yet, or one on its way that will find this order
            supervisor.desire(SupervisorControl.QUIT);
            termination.killAll();
            mark(InstanceFacts.GONE, "agent.gone");
            return AT_ONCE;
        }
        if (isOverdue(SupervisorControl.QUIT)) {
            termination.killAll();
            return AT_ONCE;
        }
        supervisor.desire(SupervisorControl.QUIT);
        supervisor.ring();
        return DUE_MILLIS;
    }

    private static boolean syncIsDue(InstanceFacts facts) {
        return facts.prepared()
                && !facts.synced()
                && facts.failure().filter(f -> f.step() == InstanceFailure.Step.SYNC).isEmpty();
    }

    private void syncLast() throws IOException, StepFailure, InterruptedException {
        data.syncLast(() -> session.closed() || session.wanted().kill());
    }

    /** A process start is under way. */
    private long supervise(InstanceFacts facts, Wanted wanted)
            throws IOException, StepFailure, InterruptedException {
        StateFile.Recorded current = facts.current().orElseThrow();
        if (current.ended()) {
            return clear(facts, current);
        }
        data.beginSync();
        if (wanted.stop() >= current.number) {
            return stop(facts, current.number);
        }
        return ALIVE_MILLIS;
    }

    /** Without a namespace, what the command left behind is ended from here. */
    private long clear(InstanceFacts facts, StateFile.Recorded ended)
            throws IOException, InterruptedException {
        if (facts.supervisor().orElseThrow().hasNamespace()) {
            return ALIVE_MILLIS;
        }
        termination.killCommand();
        Files.writeString(
                control.resolve(StateFile.NAME),
                "cleared " + ended.number + "\n",
                StandardOpenOption.APPEND);
        settings.failpoint().accept("agent.cleared");
        return AT_ONCE;
    }

    private long stop(InstanceFacts facts, int number)
            throws IOException, StepFailure, InterruptedException {
        boolean tree = !facts.supervisor().orElseThrow().hasNamespace();
        boolean hung = session.wanted().dump() == number;
        String ask = "stop " + number + (hung ? " dump" : "");
        String kill = "kill " + number;
        long graceMillis = hung ? DUMP_MILLIS : plan.stopGraceMillis();
        if (!dueOrder.equals(kill) && dueForMillis(ask) < graceMillis) {
            ask(ask, number, tree, hung);
            return Math.clamp(graceMillis - dueForMillis(ask), 1, DUE_MILLIS);
        }
        if (isOverdue(kill)) {
            termination.killAll();
            throw unanswered(kill);
        }
        supervisor.desire(kill);
        supervisor.ring();
        if (tree || dueForMillis(kill) > UNHEARD_MILLIS) {
            termination.killCommand();
        }
        return DUE_MILLIS;
    }

    private void ask(String order, int number, boolean tree, boolean hung) throws IOException {
        if (hung) {
            evidence.want(number, session.wanted().incident());
            if (tree) {
                supervisor.show(termination.command());
            }
        }
        supervisor.desire(order);
        supervisor.ring();
        if (tree && !hung && asked != number) {
            asked = number;
            termination.askCommand();
        }
    }

    /** Nothing runs: prepares, starts the next process start, or waits. */
    private long goOn(InstanceFacts facts, Wanted wanted)
            throws IOException, StepFailure, InterruptedException {
        int number = Math.max(wanted.start(), wanted.stop());
        boolean isNew = number > facts.state().current();
        if (!facts.prepared()) {
            if (!wanted.prepare() || (isNew && !wanted.startStands())) {
                return ALIVE_MILLIS;
            }
            data.prepare(this::preparationIsCancelled);
            return AT_ONCE;
        }
        if (!isNew) {
            return facts.supervisorLives() ? ALIVE_MILLIS : IDLE_MILLIS;
        }
        return order(facts, (wanted.startStands() ? "start " : "stop ") + number, number);
    }

    private boolean preparationIsCancelled() {
        Wanted wanted = session.wanted();
        return session.closed()
                || wanted.kill()
                || wanted.finish()
                || (wanted.stop() > 0 && wanted.stop() >= wanted.start());
    }

    private long order(InstanceFacts facts, String order, int number)
            throws IOException, StepFailure, InterruptedException {
        if (isOverdue(order)) {
            supervisor.desire(SupervisorControl.QUIT); // one that comes late starts nothing
            termination.killAll();
            throw unanswered(order);
        }
        if (!facts.desired().equals(order)) {
            if (order.startsWith("start ")) {
                new LaunchFile(plan).write(number);
                settings.failpoint().accept("agent.launchable");
            }
            supervisor.desire(order);
        }
        if (facts.supervisor().isPresent()) {
            supervisor.ring();
        } else if (!launched) {
            holder = supervisor.launch();
            launched = true;
        }
        return DUE_MILLIS;
    }

    private boolean isOverdue(String order) {
        return dueForMillis(order) > settings.answerMillis();
    }

    private long dueForMillis(String order) {
        if (!dueOrder.equals(order)) {
            dueOrder = order;
            dueSinceNanos = System.nanoTime();
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - dueSinceNanos);
    }

    private StepFailure unanswered(String order) {
        return new StepFailure(
                InstanceFailure.Step.SUPERVISOR,
                "the supervisor did not answer the order '"
                        + order
                        + "' within "
                        + settings.answerMillis()
                        + " ms");
    }

    private long fail(InstanceFailure failure) throws IOException {
        LOG.warn("instance {} cannot go on: {}", plan.id(), failure.message());
        Optional<String> earlier = ControlFiles.read(control, InstanceFacts.FAILED);
        if (earlier.isEmpty()) {
            ControlFiles.write(control, InstanceFacts.FAILED, InstanceFacts.text(failure));
        }
        settings.failpoint().accept("agent.failed");
        return earlier.isEmpty() ? AT_ONCE : ALIVE_MILLIS;
    }

    private void mark(String name, String failpoint) throws IOException {
        ControlFiles.write(control, name, "");
        settings.failpoint().accept(failpoint);
    }
}
