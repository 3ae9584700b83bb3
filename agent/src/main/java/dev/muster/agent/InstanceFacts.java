package dev.muster.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * What an instance's files and the machine's processes say, read at one moment. Nothing else is
 * ever known of an instance: a process that was there from the beginning and one that came after a
 * crash see the same.
 *
 * @param desired the order that stands
 * @param ended no process is left, and none will come
 * @param gone the agent saw that, and settled what had to be settled
 */
record InstanceFacts(
        InstancePlan plan,
        StateFile state,
        Optional<SupervisorIdentity> supervisor,
        boolean supervisorLives,
        String desired,
        boolean prepared,
        boolean synced,
        boolean ended,
        boolean gone,
        Optional<InstanceFailure> failure) {

    static final String PREPARED = "prepared";
    static final String SYNCED = "synced";
    static final String FAILED = "failed";
    static final String GONE = "gone";

    /** What a process knows of a namespace without a look at all processes of the machine. */
    enum Namespace {
        /** There is none, or it is not held by a child of this process. */
        UNKNOWN,
        /** Its holder, which waits for the first process in it, has not ended. */
        HELD,
        /** First process and holder have ended, so the kernel has ended everything in it. */
        EMPTIED
    }

    static InstanceFacts read(InstancePlan plan) throws IOException {
        return read(plan, () -> Namespace.UNKNOWN);
    }

    /**
     * @param namespace asked once the supervisor is dead
     */
    static InstanceFacts read(InstancePlan plan, Supplier<Namespace> namespace) throws IOException {
        Path control = plan.directories().control();
        // the process first: whatever it wrote before it died is then read
        Optional<SupervisorIdentity> supervisor = SupervisorIdentity.read(control);
        boolean lives = supervisor.isPresent() && supervisor.get().lives();
        StateFile state = StateFile.read(control);
        String desired = ControlFiles.read(control, SupervisorControl.DESIRED).orElse("");
        boolean gone = Files.exists(control.resolve(GONE)) || Files.notExists(control);
        boolean ended =
                gone
                        || (supervisor.isPresent()
                                && !lives
                                && switch (namespace.get()) {
                                    case HELD -> false;
                                    case EMPTIED -> true;
                                    case UNKNOWN ->
                                            new InstanceProcesses(plan, supervisor).all().isEmpty();
                                });
        return new InstanceFacts(
                plan,
                state,
                supervisor,
                lives,
                desired.lines().findFirst().orElse(""),
                Files.exists(control.resolve(PREPARED)),
                Files.exists(control.resolve(SYNCED)),
                ended,
                gone,
                ControlFiles.read(control, FAILED).map(InstanceFacts::failure));
    }

    /** The start that was ordered or is running, or the last one. */
    Optional<StateFile.Recorded> current() {
        return state.starts().stream().reduce((a, b) -> b);
    }

    /** Whether a claimed start has not ended, or left processes behind. */
    boolean busy() {
        return !ended && current().filter(start -> !start.ended() || !start.cleared).isPresent();
    }

    InstanceObservation observation() {
        List<ProcessStart> starts = new ArrayList<>();
        for (StateFile.Recorded start : state.starts()) {
            starts.add(
                    new ProcessStart(
                            start.number,
                            start.starts,
                            start.pid,
                            start.exitCode,
                            start.starts > 0 && !start.ended() && supervisorLives));
        }
        return new InstanceObservation(
                plan.id(),
                phase(),
                starts,
                supervisorLives
                        ? OptionalLong.of(supervisor.orElseThrow().pid())
                        : OptionalLong.empty(),
                prepared,
                synced,
                failure);
    }

    private InstancePhase phase() {
        if (ended) {
            return InstancePhase.GONE;
        } else if (!prepared) {
            return InstancePhase.PREPARING;
        } else if (synced || desired.equals(SupervisorControl.QUIT)) {
            return InstancePhase.FINISHING;
        } else if (busy() || desired.equals("start " + (state.current() + 1))) {
            return InstancePhase.RUNNING;
        }
        return InstancePhase.PREPARED;
    }

    static String text(InstanceFailure failure) {
        return failure.step() + " " + failure.message();
    }

    private static InstanceFailure failure(String text) {
        int space = text.indexOf(' ');
        return new InstanceFailure(
                InstanceFailure.Step.valueOf(text.substring(0, space)), text.substring(space + 1));
    }
}
