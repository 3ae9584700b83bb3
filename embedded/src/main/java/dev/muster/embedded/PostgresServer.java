package dev.muster.embedded;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One server process of a data directory: found running or started, and stopped. The process has a
 * session of its own, so neither Ctrl-C nor the end of this JVM reaches it.
 */
final class PostgresServer {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresServer.class);
    private static final Duration POLL = Duration.ofMillis(10);

    /** Recovery after a crash reads at most {@code max_wal_size}. */
    private static final Duration START_LIMIT = Duration.ofMinutes(5);

    /** How long the children of a killed server may take to notice it. */
    private static final Duration LEFTOVER_LIMIT = Duration.ofSeconds(30);

    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final Duration SIGNAL_LIMIT = Duration.ofSeconds(10);

    private final PostgresCluster cluster;
    private final PostgresLog log;

    PostgresServer(PostgresCluster cluster, PostgresLog log) {
        this.cluster = cluster;
        this.log = log;
    }

    /** The port on which another process listens now. */
    static final class PortTaken extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** The running server of this data directory, after it has finished starting. */
    Optional<Postmaster> running() {
        Deadline deadline = Deadline.in(START_LIMIT);
        while (true) {
            Optional<Postmaster> found =
                    Postmaster.read(cluster.data()).filter(Postmaster::isAlive);
            if (found.isEmpty() || found.get().isReady()) {
                return found;
            }
            // Starting, or stopping.
            pause(deadline, "The server of " + cluster.data() + " neither became ready nor ended.");
        }
    }

    /** Whether a running server was started with exactly these settings. */
    boolean startedWith(Map<String, String> settings) {
        List<String> words = new ArrayList<>();
        words.add("-D");
        words.add(cluster.data().toString());
        words.addAll(PostgresCluster.options(settings));
        String expected = String.join(" ", words.stream().map(w -> '"' + w + '"').toList());
        try {
            // The file begins with the program, which an upgrade may have moved.
            return Files.readString(cluster.data().resolve("postmaster.opts"))
                    .strip()
                    .endsWith(expected);
        } catch (IOException _) {
            return false;
        }
    }

    /** Starts a server and waits until it takes connections. */
    Postmaster start(Map<String, String> settings) throws PortTaken {
        try {
            removeLeftovers();
            log.mark();
            return awaitReady(launch(settings));
        } catch (IOException e) {
            throw Sentences.unwritable(cluster.data(), e);
        }
    }

    // A server refuses to start beside children of its killed predecessor, and beside a process
    // that
    // was given the predecessor's number: hence the deletion, once nobody is left.
    private void removeLeftovers() throws IOException {
        Path file = cluster.data().resolve("postmaster.pid");
        if (Files.exists(file)) {
            Deadline deadline = Deadline.in(LEFTOVER_LIMIT);
            while (Postmaster.anyServes(cluster.data())) {
                pause(
                        deadline,
                        "Processes of a killed PostgreSQL still use " + cluster.data() + ".");
            }
            Files.delete(file);
        }
    }

    private Process launch(Map<String, String> settings) throws IOException {
        List<String> command = new ArrayList<>();
        command.add("setsid");
        command.addAll(cluster.program("postgres", "-D", cluster.data().toString()));
        command.addAll(PostgresCluster.options(settings));
        return Command.isolated(command)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(log.file().toFile()))
                .start();
    }

    private Postmaster awaitReady(Process process) throws PortTaken {
        Deadline deadline = Deadline.in(START_LIMIT);
        while (true) {
            Optional<Postmaster> ready =
                    Postmaster.read(cluster.data())
                            .filter(found -> found.pid() == process.pid())
                            .filter(Postmaster::isReady);
            if (ready.isPresent()) {
                return ready.get();
            }
            if (!process.isAlive()) {
                throw failure();
            }
            pause(deadline, "PostgreSQL did not become ready; its log is " + log.file() + ".");
        }
    }

    private EmbeddedServerException failure() throws PortTaken {
        String tail = log.tail();
        if (tail.contains("Address already in use")) {
            throw new PortTaken();
        }
        if (Sentences.saysNoSpace(tail)) {
            return new EmbeddedServerException(Sentences.noSpace(cluster.data()));
        }
        return new EmbeddedServerException(
                "PostgreSQL did not start, it said '"
                        + PostgresLog.complaint(tail)
                        + "'; its log is "
                        + log.file()
                        + ".");
    }

    /** Stops a server, harder if it does not obey in time. */
    void stop(Postmaster server, EmbeddedPostgres.StopMode mode) {
        if (stopped(server, mode.signal(), STOP_LIMIT)
                || stopped(server, EmbeddedPostgres.StopMode.IMMEDIATE.signal(), SIGNAL_LIMIT)) {
            return;
        }
        LOG.warn("PostgreSQL {} ignores its signals and is killed", server.pid());
        ProcessHandle.of(server.pid()).ifPresent(ProcessHandle::destroyForcibly);
        Deadline deadline = Deadline.in(SIGNAL_LIMIT);
        while (server.isAlive()) {
            pause(deadline, "PostgreSQL " + server.pid() + " could not be stopped.");
        }
    }

    private boolean stopped(Postmaster server, String signal, Duration limit) {
        if (!server.isAlive()) {
            return true;
        }
        List<String> command =
                cluster.program("pg_ctl", "kill", signal, Long.toString(server.pid()));
        try {
            Command.Outcome outcome = Command.run(command, "", SIGNAL_LIMIT);
            if (!outcome.succeeded() && server.isAlive()) {
                LOG.warn("signal {} to PostgreSQL: {}", signal, outcome.output().strip());
            }
        } catch (IOException e) {
            LOG.warn("signal {} to PostgreSQL", signal, e);
        }
        Deadline deadline = Deadline.in(limit);
        while (server.isAlive()) {
            if (deadline.hasPassed()) {
                return false;
            }
            deadline.pause(POLL);
        }
        return true;
    }

    private static void pause(Deadline deadline, String sentence) {
        if (deadline.hasPassed()) {
            throw new EmbeddedServerException(sentence);
        }
        deadline.pause(POLL);
    }
}
