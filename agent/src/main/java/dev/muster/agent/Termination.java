package dev.muster.agent;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Ends the processes of an instance. In a namespace its first process is killed and the kernel does
 * the rest. Without one they are found on the machine: stopped first, so that none forks away
 * between the look and the kill, until two looks in a row find no new one.
 */
final class Termination {

    /** Beyond this, something hangs in the kernel; the caller tries again later. */
    private static final int MAX_ROUNDS = 200;

    private static final long PAUSE_MILLIS = 10;
    private static final int PIDS_PER_SIGNAL = 500;
    private static final long SIGNAL_SECONDS = 10;

    private final InstancePlan plan;

    Termination(InstancePlan plan) {
        this.plan = plan;
    }

    /** Asks the command of a {@code tree} instance to end. */
    void askCommand() throws IOException, InterruptedException {
        signal("TERM", processes().ofCommand());
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
            signal("STOP", running);
            pauseBefore(round);
        }
        killUntilGone(look);
    }

    private void killUntilGone(Look look) throws IOException, InterruptedException {
        for (int clean = 0, round = 0; clean < 2; round++) {
            List<ProcessTable.Entry> living = look.take();
            clean = living.isEmpty() ? clean + 1 : 0;
            signal("KILL", living);
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

    private static void signal(String name, List<ProcessTable.Entry> processes)
            throws IOException, InterruptedException {
        List<String> pids = new ArrayList<>();
        for (ProcessTable.Entry process : processes) {
            // a number may belong to another process by now
            if (ProcessTable.lives(process.pid(), process.startTicks())) {
                pids.add(String.valueOf(process.pid()));
            }
        }
        for (int from = 0; from < pids.size(); from += PIDS_PER_SIGNAL) {
            List<String> command =
                    new ArrayList<>(List.of("sh", "-c", "kill -s \"$@\"", "sh", name, "--"));
            command.addAll(pids.subList(from, Math.min(pids.size(), from + PIDS_PER_SIGNAL)));
            Process kill =
                    new ProcessBuilder(command)
                            .redirectInput(new File("/dev/null"))
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            kill.waitFor(SIGNAL_SECONDS, TimeUnit.SECONDS);
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
