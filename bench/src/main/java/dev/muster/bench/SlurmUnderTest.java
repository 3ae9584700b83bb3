package dev.muster.bench;

import dev.muster.embedded.EmbeddedServers;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A Slurm of its own on loopback: munged, slurmctld and one slurmd for each pretended node, all in
 * the foreground, so that each is ended by the handle that started it.
 */
final class SlurmUnderTest implements AutoCloseable {

    /** Of each node. */
    static final int DEVICES = 8;

    private static final int FIRST_PORT = 17_000;
    private static final int LAST_PORT = 30_000;
    private static final int KEY_BYTES = 1024;
    private static final long START_SECONDS = 90;
    private static final long STOP_SECONDS = 20;
    private static final List<String> PROGRAMS =
            List.of("munged", "slurmctld", "slurmd", "sbatch", "sdiag", "sinfo");
    private static final List<String> PLACES =
            List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

    private final Path home;
    private final Path configuration;
    private final List<Process> daemons = new ArrayList<>();

    private SlurmUnderTest(Path home) {
        this.home = home;
        this.configuration = home.resolve("slurm.conf");
    }

    /**
     * @throws BenchFailed if programs of it are missing, naming them and how to get them
     */
    static void checkInstalled() {
        List<String> missing =
                PROGRAMS.stream()
                        .filter(program ->
                                PLACES.stream()
                                        .noneMatch(p -> Files.isExecutable(Path.of(p, program))))
                        .toList();
        if (!missing.isEmpty()) {
            throw new BenchFailed(
                    "the comparison needs Slurm, and "
                            + String.join(", ", missing)
                            + " cannot be found: on Debian, apt-get install"
                            + " --no-install-recommends slurm-wlm slurmctld slurmd munge");
        }
    }

    static SlurmUnderTest start(int nodes) {
        checkInstalled();
        Progress.say("starting Slurm with %d nodes".formatted(nodes));
        try {
            SlurmUnderTest slurm = new SlurmUnderTest(Files.createTempDirectory("muster-slurm"));
            try {
                slurm.layOut(nodes);
                slurm.startDaemons(nodes);
                slurm.awaitIdle(nodes);
                return slurm;
            } catch (IOException | RuntimeException e) {
                slurm.close();
                throw e;
            }
        } catch (IOException e) {
            throw new BenchFailed("Slurm cannot be started: " + e.getMessage(), e);
        }
    }

    private void layOut(int nodes) throws IOException {
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx--x--x"));
        for (String name : List.of("state", "spool", "run", "log", "dev", "munge")) {
            Files.createDirectory(home.resolve(name));
        }
        for (int device = 0; device < DEVICES; device++) {
            Files.createFile(home.resolve("dev/gpu" + device)); // a device counts only with a file
        }
        for (int node = 1; node <= nodes; node++) {
            Files.createDirectory(home.resolve("spool/n" + node));
        }
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        Path keyFile =
                Files.createFile(
                        home.resolve("munge/key"),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        Files.write(keyFile, key);
        Files.writeString(
                home.resolve("gres.conf"),
                "NodeName=n[1-%d] Name=gpu File=%s/dev/gpu[0-%d]%n"
                        .formatted(nodes, home, DEVICES - 1));
        Files.writeString(
                home.resolve("cgroup.conf"), "CgroupAutomount=no\nCgroupPlugin=cgroup/v1\n");
        int port = freePorts(nodes + 1);
        Files.writeString(
                configuration,
                template()
                        .replace("@HOME@", home.toString())
                        .replace("@HOST@", hostName())
                        .replace("@USER@", System.getProperty("user.name", "root"))
                        .replace("@PORT@", Integer.toString(port))
                        .replace("@FIRST@", Integer.toString(port + 1))
                        .replace("@LAST@", Integer.toString(port + nodes))
                        .replace("@NODES@", Integer.toString(nodes)));
    }

    private static String hostName() throws IOException {
        return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip().split("\\.", 2)[0];
    }

    private static String template() throws IOException {
        try (InputStream in = SlurmUnderTest.class.getResourceAsStream("slurm.conf")) {
            if (in == null) {
                throw new BenchFailed("slurm.conf is missing from the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The first of so many ports in a row. */
    private static int freePorts(int count) {
        for (int first = FIRST_PORT; first + count < LAST_PORT; first += count) {
            int free = 0;
            while (free < count && isFree(first + free)) {
                free++;
            }
            if (free == count) {
                return first;
            }
        }
        throw new BenchFailed("there are no " + count + " free ports in a row for Slurm");
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void startDaemons(int nodes) throws IOException {
        Path munge = home.resolve("munge");
        daemon(
                "munged",
                List.of(
                        "munged",
                        "--foreground",
                        "--force",
                        "--num-threads=2",
                        "--socket=" + munge.resolve("socket"),
                        "--key-file=" + munge.resolve("key"),
                        "--pid-file=" + munge.resolve("pid"),
                        "--seed-file=" + munge.resolve("seed"),
                        "--log-file=" + munge.resolve("log")));
        await("munged", () -> Files.exists(munge.resolve("socket")));
        daemon("slurmctld", List.of("slurmctld", "-D", "-c", "-f", configuration.toString()));
        await("slurmctld", () -> succeeds(List.of("sinfo", "-h")));
        for (int node = 1; node <= nodes; node++) {
            daemon(
                    "slurmd-n" + node,
                    List.of("slurmd", "-D", "-f", configuration.toString(), "-N", "n" + node));
        }
    }

    private void daemon(String name, List<String> command) throws IOException {
        daemons.add(builder(command).redirectOutput(log(name)).start());
    }

    private File log(String name) {
        return home.resolve("log/" + name + ".out").toFile();
    }

    private ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectInput(new File("/dev/null"))
                        .redirectErrorStream(true);
        builder.environment().put("SLURM_CONF", configuration.toString());
        builder.environment().put("PATH", String.join(":", PLACES));
        return builder;
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private void await(String what, Condition condition) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!condition.holds()) {
            if (System.nanoTime() > deadline || !daemons.stream().allMatch(Process::isAlive)) {
                throw new BenchFailed(what + " did not start: " + said());
            }
            pause(100);
        }
    }

    private String said() throws IOException {
        StringBuilder said = new StringBuilder();
        try (Stream<Path> logs = Files.list(home.resolve("log"))) {
            for (Path each : logs.sorted().toList()) {
                List<String> lines = Files.readAllLines(each, StandardCharsets.ISO_8859_1);
                lines.subList(Math.max(0, lines.size() - 3), lines.size())
                        .forEach(line -> said.append('\n').append(line));
            }
        }
        return said.toString();
    }

    private void awaitIdle(int nodes) throws IOException {
        List<String> command = List.of("sinfo", "-h", "-t", "idle", "-o", "%D");
        await(
                "slurmd",
                () -> run(command).lines().anyMatch(line -> line.equals(String.valueOf(nodes))));
    }

    static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailed("interrupted", e);
        }
    }

    private boolean succeeds(List<String> command) throws IOException {
        Process process = builder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        return wait(process) == 0;
    }

    private static int wait(Process process) {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailed("interrupted", e);
        }
    }

    /** What a client of it prints. */
    String run(List<String> command) {
        try {
            Process process = builder(command).start();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (wait(process) != 0) {
                throw new BenchFailed(String.join(" ", command) + " failed: " + said);
            }
            return said;
        } catch (IOException e) {
            throw new BenchFailed(command.getFirst() + " cannot be run: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        // the nodes first, munged, which all of them need to say good-bye, last
        for (Process each : daemons.reversed()) {
            each.destroy();
            try {
                if (!each.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                    each.destroyForcibly();
                }
            } catch (InterruptedException e) {
                each.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
        EmbeddedServers.discard(home);
    }
}
