package dev.muster.agent;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** How instances are held together on this machine, and how their supervisors are started. */
public final class Isolation {

    private static final Logger LOG = LoggerFactory.getLogger(Isolation.class);
    private static final long PROBE_SECONDS = 10;

    /** The program puts its own process before the supervisor's. */
    private static final List<String> AS_ROOT =
            List.of("unshare", "--pid", "--fork", "--kill-child=KILL", "--mount-proc");

    static final List<String> AS_USER =
            List.of(
                    "unshare",
                    "-U",
                    "--map-current-user",
                    "--pid",
                    "--fork",
                    "--kill-child=KILL",
                    "--mount-proc");

    private final IsolationKind kind;
    private final List<String> enter;
    private final @Nullable Namespaces direct;

    private Isolation(IsolationKind kind, List<String> enter, @Nullable Namespaces direct) {
        this.kind = kind;
        this.enter = enter;
        this.direct = direct;
    }

    /** Without namespaces, where they are forbidden or not wanted. */
    public static Isolation processTree() {
        return new Isolation(IsolationKind.PROCESS_TREE, List.of(), null);
    }

    /**
     * Namespaces that a program makes.
     *
     * @param enter program and arguments that are put before the supervisor's own
     */
    static Isolation by(List<String> enter) {
        return new Isolation(IsolationKind.NAMESPACE, List.copyOf(enter), null);
    }

    /** Tries namespaces once, says in the log which kind is in force, and why. */
    public static Isolation probe() {
        Optional<Isolation> found = direct().or(Isolation::byProgram);
        found.ifPresent(isolation -> LOG.info("instances are held together by {}", isolation));
        return found.orElseGet(() -> {
            LOG.warn(
                    "this machine allows no PID namespaces: instances are held together by mark,"
                            + " session and descent");
            return processTree();
        });
    }

    private static Optional<Isolation> direct() {
        try {
            Namespaces namespaces = Namespaces.find();
            return works(namespaces)
                    ? Optional.of(new Isolation(IsolationKind.NAMESPACE, List.of(), namespaces))
                    : Optional.empty();
        } catch (IOException e) {
            LOG.debug("this process itself can make no PID namespaces: {}", e.getMessage());
            return Optional.empty();
        }
    }

    static Optional<Isolation> byProgram() {
        return Stream.of(AS_ROOT, AS_USER).filter(Isolation::works).map(Isolation::by).findFirst();
    }

    private static boolean works(List<String> enter) {
        List<String> command = new ArrayList<>(enter);
        command.addAll(List.of("sh", "-c", "test $$ -eq 1 && test -r /proc/1/stat"));
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectInput(new File("/dev/null"))
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            if (!process.waitFor(PROBE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return false;
            }
            return process.exitValue() == 0;
        } catch (IOException e) {
            return false; // no such program
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static boolean works(Namespaces namespaces) throws IOException {
        Path said = Files.createTempFile("muster-namespace", "");
        try {
            long child =
                    namespaces.spawn(
                            List.of("sh", "-c", "sleep 0.01; test $$ -eq 1 && echo /proc/[0-9]*"),
                            List.of("PATH=" + SupervisorControl.PATH),
                            Path.of("/"),
                            said);
            Supervisors.add(child);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PROBE_SECONDS);
            while (!Supervisors.hasEnded(child)) {
                if (System.nanoTime() - deadline > 0) {
                    Libc.kill(child, Libc.KILL);
                    return false;
                }
                Thread.onSpinWait();
            }
            return Files.readString(said).equals("/proc/1\n");
        } finally {
            Files.delete(said);
        }
    }

    public IsolationKind kind() {
        return kind;
    }

    /** Whether the program has to wait for the word that its {@code /proc} is there. */
    boolean isDirect() {
        return direct != null;
    }

    /**
     * Starts a program that this process may outlive, or not.
     *
     * @return its pid, or that of the process which holds its namespace; 0 if this is no child
     */
    long start(List<String> program, Path directory, Path output, List<String> environment)
            throws IOException {
        if (direct != null) {
            return direct.spawn(program, environment, directory, output);
        }
        List<String> command = new ArrayList<>(enter);
        command.addAll(program);
        if (Libc.canSpawn()) {
            return Libc.spawn(command, environment, directory, output);
        }
        startBySetsid(command, directory, output, environment);
        return 0;
    }

    /** Costs two programs more, and the command ignores the signals that this process ignores. */
    private static void startBySetsid(
            List<String> command, Path directory, Path output, List<String> environment)
            throws IOException {
        command.addFirst("setsid");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectInput(new File("/dev/null"))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        builder.environment().clear();
        for (String each : environment) {
            int equals = each.indexOf('=');
            builder.environment().put(each.substring(0, equals), each.substring(equals + 1));
        }
        builder.start();
    }

    @Override
    public String toString() {
        return switch (kind) {
            case PROCESS_TREE -> "mark, session and descent";
            case NAMESPACE ->
                    "PID namespaces" + (enter.isEmpty() ? "" : " of " + String.join(" ", enter));
        };
    }
}
