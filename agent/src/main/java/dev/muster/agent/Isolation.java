package dev.muster.agent;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How instances are held together on this machine.
 *
 * @param enter program and arguments that are put before the supervisor's own to enter a namespace;
 *     empty for {@link IsolationKind#PROCESS_TREE}
 */
public record Isolation(IsolationKind kind, List<String> enter) {

    private static final Logger LOG = LoggerFactory.getLogger(Isolation.class);
    private static final long PROBE_SECONDS = 10;

    private static final List<String> AS_ROOT =
            List.of("unshare", "--pid", "--fork", "--kill-child=KILL", "--mount-proc");
    private static final List<String> AS_USER =
            List.of(
                    "unshare",
                    "-U",
                    "--map-current-user",
                    "--pid",
                    "--fork",
                    "--kill-child=KILL",
                    "--mount-proc");

    public Isolation {
        enter = List.copyOf(enter);
    }

    /** Without namespaces, where they are forbidden or not wanted. */
    public static Isolation processTree() {
        return new Isolation(IsolationKind.PROCESS_TREE, List.of());
    }

    /** Tries namespaces once, says in the log which kind is in force, and why. */
    public static Isolation probe() {
        for (List<String> enter : List.of(AS_ROOT, AS_USER)) {
            if (works(enter)) {
                LOG.info("instances are held together by PID namespaces: {}", enter);
                return new Isolation(IsolationKind.NAMESPACE, enter);
            }
        }
        LOG.warn(
                "this machine allows no PID namespaces: instances are held together by mark,"
                        + " session and descent");
        return processTree();
    }

    private static boolean works(List<String> enter) {
        List<String> command = new java.util.ArrayList<>(enter);
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
}
