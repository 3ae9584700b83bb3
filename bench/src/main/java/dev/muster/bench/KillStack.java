package dev.muster.bench;

import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.EmbeddedServers;
import dev.muster.embedded.PostgresConnection;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Seven processes on a fresh data directory. Whatever ends is started again at once, as an
 * operator's supervisor would.
 */
final class KillStack implements AutoCloseable {

    private static final List<String> JVM =
            List.of("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");
    private static final String MAIN = "dev.muster.cli.Main";
    private static final long LOOK_MILLIS = 50;
    private static final long AGAIN_MILLIS = 500;
    private static final int FIRST_PORT = 18_460;
    private static final int LAST_PORT = 30_000;

    /** What comes at its own time comes soon here, so that its steps do. */
    private static final String SETTINGS =
            """
            scheduler.snapshot.seconds: 2
            monitor.sampleSeconds: 1
            executor.progressIntervalMillis: 500
            executor.local.devices: 16
            notifier.allowedNetworks: [127.0.0.0/8]
            notifier.idleMillis: 1000
            notifier.leaseMillis: 3000
            """;

    private final Path directory;
    private final Path logs;
    private final int port;
    private final Map<KillPart, Process> running = new EnumMap<>(KillPart.class);

    /** Not started again when they end: told to halt somewhere, or the whole stack ends. */
    private final Set<KillPart> held = EnumSet.noneOf(KillPart.class);

    private final Set<KillPart> killed = EnumSet.noneOf(KillPart.class);
    private final Thread keeper = Thread.ofPlatform().daemon().name("keeper").unstarted(this::keep);
    private long ownEnds;
    private long processesKilled;

    private KillStack(Path directory, int port) {
        this.directory = directory;
        this.logs = directory.resolve("logs-of-processes");
        this.port = port;
    }

    static KillStack start() {
        try {
            Path directory = Files.createTempDirectory("muster-kill");
            Files.writeString(directory.resolve("muster.yaml"), SETTINGS);
            KillStack stack = new KillStack(directory, freePort());
            Files.createDirectories(stack.logs);
            synchronized (stack) {
                for (KillPart part : KillPart.values()) {
                    stack.launch(part, "");
                }
            }
            stack.keeper.start();
            return stack;
        } catch (IOException e) {
            throw new BenchFailed("no data directory can be made: " + e.getMessage(), e);
        }
    }

    /** Below those that outgoing connections take while nobody listens. */
    private static int freePort() {
        for (int each = FIRST_PORT; each < LAST_PORT; each++) {
            try (ServerSocket socket =
                    new ServerSocket(each, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException _) {
                // the next one
            }
        }
        throw new BenchFailed("no port is free");
    }

    private void launch(KillPart part, String crashAt) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("run", part.word(), "--data-dir", directory.toString()));
        if (!part.isServer()) {
            arguments.addAll(List.of("-c", "service.id=" + part.word()));
        }
        if (part == KillPart.GATEWAY) {
            arguments.addAll(List.of("-c", "gateway.port=" + port));
        }
        ProcessBuilder builder = ChildProcess.builder(MAIN, JVM, arguments);
        builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log(part).toFile()));
        if (!crashAt.isEmpty()) {
            builder.environment().put("MUSTER_CRASH_AT", crashAt);
        }
        killed.remove(part);
        running.put(part, builder.start());
    }

    private void keep() {
        try {
            while (true) {
                boolean failed = keepAll();
                TimeUnit.MILLISECONDS.sleep(failed ? AGAIN_MILLIS : LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            Progress.say("a process cannot be started again: " + e.getMessage());
        }
    }

    private synchronized boolean keepAll() throws IOException {
        boolean failed = false;
        for (KillPart part : KillPart.values()) {
            Process process = running.get(part);
            if (process == null || process.isAlive() || held.contains(part)) {
                continue;
            }
            if (!killed.contains(part)) {
                ownEnds++;
                failed = true;
                Progress.say(
                        "%s ended by itself with status %d, see %s"
                                .formatted(part.word(), process.exitValue(), log(part)));
            }
            launch(part, "");
        }
        return failed;
    }

    /** Kills with SIGKILL, all at the same time; they are started again. */
    synchronized void kill(List<KillPart> parts) {
        List<ProcessHandle> targets = new ArrayList<>();
        for (KillPart part : parts) {
            killed.add(part);
            processesKilled++;
            targets.addAll(processes(part));
        }
        targets.forEach(ProcessHandle::destroyForcibly);
    }

    /** The JVM first, which would start its server again; then that and its children. */
    private synchronized List<ProcessHandle> processes(KillPart part) {
        List<ProcessHandle> all = new ArrayList<>();
        Process process = running.get(part);
        if (process != null) {
            all.add(process.toHandle());
        }
        if (part == KillPart.POSTGRES) {
            EmbeddedPostgres.read(directory)
                    .flatMap(found -> ProcessHandle.of(found.pid()))
                    .filter(KillStack::servesPostgres)
                    .ifPresent(server ->
                            Stream.concat(Stream.of(server), server.descendants())
                                    .forEach(all::add));
        }
        return all;
    }

    /** A number may have gone to another process since it was written down. */
    private static boolean servesPostgres(ProcessHandle process) {
        return process.info().command().filter(name -> name.endsWith("postgres")).isPresent();
    }

    /** Kills it and starts it so that it halts where it is told to. */
    synchronized void arm(KillPart part, String failpoint, int reach) {
        held.add(part);
        kill(List.of(part));
        try {
            Process before = running.get(part);
            if (before != null) {
                before.onExit().join();
            }
            launch(part, failpoint + ":" + reach);
        } catch (IOException e) {
            throw new BenchFailed("a process cannot be started: " + e.getMessage(), e);
        }
    }

    /** Exit status of an armed process, if it has ended. */
    synchronized OptionalInt ended(KillPart part) {
        Process process = running.get(part);
        return process == null || process.isAlive()
                ? OptionalInt.empty()
                : OptionalInt.of(process.exitValue());
    }

    /** It is started again like the others, once it has ended. */
    synchronized void release(KillPart part) {
        killed.add(part);
        held.remove(part);
    }

    /** SIGSTOP or SIGCONT to all of its processes. */
    void signal(KillPart part, String signal) throws InterruptedException {
        List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
        processes(part).forEach(each -> command.add(Long.toString(each.pid())));
        try {
            new ProcessBuilder(command).inheritIO().start().waitFor();
        } catch (IOException e) {
            throw new BenchFailed("no signal can be sent: " + e.getMessage(), e);
        }
    }

    int port() {
        return port;
    }

    Path directory() {
        return directory;
    }

    Path log(KillPart part) {
        return logs.resolve(part.word() + ".log");
    }

    /** Empty until the first service was there. */
    String token() {
        try {
            return Files.readString(directory.resolve("token")).strip();
        } catch (IOException _) {
            return "none-yet";
        }
    }

    PostgresConnection postgres() {
        return EmbeddedPostgres.read(directory)
                .orElseThrow(() -> new BenchFailed("no PostgreSQL in " + directory));
    }

    /** Processes that ended although nobody killed them. */
    synchronized long ownEnds() {
        return ownEnds;
    }

    synchronized long processesKilled() {
        return processesKilled;
    }

    /** {@code muster verify}; its line of JSON. */
    String verify(int settleSeconds) throws InterruptedException {
        List<String> arguments =
                List.of(
                        "verify",
                        "--json",
                        "--settle",
                        Integer.toString(settleSeconds),
                        "--data-dir",
                        directory.toString());
        try (ChildProcess verify =
                ChildProcess.java(MAIN, JVM, arguments, logs.resolve("verify.log"))) {
            return verify.line(line -> line.startsWith("{"));
        }
    }

    /** Stops all of it; the directory stays. */
    @Override
    public void close() {
        keeper.interrupt();
        synchronized (this) {
            held.addAll(EnumSet.allOf(KillPart.class));
            running.values().forEach(Process::destroy);
        }
        for (Process each : running.values()) {
            try {
                if (!each.waitFor(20, TimeUnit.SECONDS)) {
                    each.destroyForcibly();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                each.destroyForcibly();
            }
        }
    }

    /** Deletes all of it, once closed. */
    void discard() {
        try {
            Path instances = directory.resolve("instances");
            if (Files.isSymbolicLink(instances)) {
                Path outside = instances.toRealPath().getParent();
                if (outside != null && Files.exists(outside.resolve("data-directory"))) {
                    EmbeddedServers.discard(outside);
                }
            }
        } catch (IOException e) {
            Progress.say("the files of the instances stay: " + e.getMessage());
        }
        EmbeddedServers.discard(directory);
    }
}
