package dev.muster.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Ends the processes of an instance. In a namespace its first process is killed and the kernel does
 * the rest. Without one they are found on the machine: stopped first, so that none forks away
 * between the look and the kill, until two looks in a row find no new one.
 */
final class Termination {

    /** Beyond this, something hangs in the kernel; the caller tries again later. */
    private static final int MAX_ROUNDS = 200;

    private static final long PAUSE_MILLIS = 10;

    private final InstancePlan plan;

    Termination(InstancePlan plan) {
        this.plan = plan;
    }

    /** What the command of a {@code tree} instance started and lives. */
    List<ProcessTable.Entry> command() throws IOException {
        return processes().ofCommand();
    }

    /** Asks the command of a {@code tree} instance to end. */
    void askCommand() throws IOException {
        signal(Libc.TERMINATE, processes().ofCommand());
    }

    /** Kills what the command started, not the supervisor, which then tells the end itself. */
    void killCommand() throws IOException, InterruptedException {
        InstanceProcesses processes = processes();
        killFrozen(processes::ofCommand);
    }

    /** Kills everything, the supervisor included. */
    void killAll() throws IOException, InterruptedException {
        Optional<SupervisorIdentity> supervisor = supervisor();
        InstanceProcesses processes = new InstanceProcesses(plan, supervisor);
        if (supervisor.isPresent() && !supervisor.get().hasNamespace()) {
            killFrozen(processes::all);
        } else {
            killUntilGone(processes::all);
        }
    }

    private interface Look {
        List<ProcessTable.Entry> take() throws IOException;
    }

    private void killFrozen(Look look) throws IOException, InterruptedException {
        for (int clean = 0, round = 0; clean < 2; round++) {
            List<ProcessTable.Entry> running =
                    look.take().stream().filter(entry -> entry.state() != 'T').toList();
            clean = running.isEmpty() ? clean + 1 : 0;
            signal(Libc.STOP, running);
            pauseBefore(round);
        }
        killUntilGone(look);
    }

    private void killUntilGone(Look look) throws IOException, InterruptedException {
        for (int clean = 0, round = 0; clean < 2; round++) {
            List<ProcessTable.Entry> living = look.take();
            clean = living.isEmpty() ? clean + 1 : 0;
            signal(Libc.KILL, living);
            if (!living.isEmpty()) {
                pauseBefore(round);
            }
        }
    }

    private void pauseBefore(int round) throws IOException, InterruptedException {
        if (round > MAX_ROUNDS) {
            throw new IOException("processes of instance " + plan.id() + " do not end");
        } else if (round > 0) {
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private static void signal(int signal, List<ProcessTable.Entry> processes) {
        for (ProcessTable.Entry process : processes) {
            // a number may belong to another process by now
            if (ProcessTable.lives(process.pid(), process.startTicks())) {
                Libc.kill(process.pid(), signal);
            }
        }
    }

    private InstanceProcesses processes() throws IOException {
        return new InstanceProcesses(plan, supervisor());
    }

    private Optional<SupervisorIdentity> supervisor() throws IOException {
        Path control = plan.directories().control();
        return SupervisorIdentity.read(control);
    }
}
