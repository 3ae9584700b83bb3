package dev.muster.bench;

import io.vertx.core.json.JsonArray;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * PostgreSQL, Kafka and two of each service as processes of their own, on a fresh data directory.
 */
final class RollingStack implements AutoCloseable {

    private static final List<String> ROLES =
            List.of("scheduler", "gateway", "executor", "monitor", "notifier");
    private static final List<String> SERVERS = List.of("postgres", "kafka");
    private static final int OF_EACH = 2;
    private static final int STARTS = 3;
    private static final long READY_SECONDS = 180;
    private static final long LOOK_MILLIS = 50;

    /** Jobs run for a moment, so that at any time some do. */
    private static final String SETTINGS =
            """
            executor.backend: simulated
            executor.simulated.nodes: 500
            executor.simulated.runMillis: 200
            """;

    /** How long one took to stop, and from then on until it was ready again. */
    record Restart(long stopMillis, long startMillis) {}

    private final BenchDirectory directory;
    private final List<Integer> ports = new ArrayList<>();

    /** By its name, the last started last. */
    private final Map<String, ChildProcess> running = new LinkedHashMap<>();

    private RollingStack(BenchDirectory directory) {
        this.directory = directory;
        int port = BenchDirectory.freePort();
        for (int i = 0; i < OF_EACH; i++) {
            ports.add(port);
            port = BenchDirectory.freePortFrom(port + 1);
        }
    }

    static RollingStack start() throws InterruptedException {
        RollingStack stack = new RollingStack(BenchDirectory.create("muster-rolling", SETTINGS));
        try {
            Files.createDirectories(stack.logs());
            for (String each : SERVERS) {
                stack.launch(each);
            }
            for (String each : services()) {
                Progress.say("starting " + each);
                stack.launch(each);
                stack.awaitReady(each);
            }
            return stack;
        } catch (IOException e) {
            throw new BenchFailed("no logs can be written: " + e.getMessage(), e);
        } catch (BenchFailed e) {
            stack.close();
            throw e;
        }
    }

    /** In the order in which they are started anew. */
    static List<String> services() {
        return ROLES.stream().flatMap(role -> List.of(role + "-1", role + "-2").stream()).toList();
    }

    /** Of these there is one each. */
    static List<String> servers() {
        return SERVERS;
    }

    private static String role(String name) {
        return name.replaceFirst("-\\d$", "");
    }

    /** One that ends at its start is started again, as an operator's supervisor would do. */
    private void launch(String name) {
        for (int attempt = 1; ; attempt++) {
            ChildProcess process =
                    ChildProcess.java(
                            "dev.muster.cli.Main",
                            KillStack.JVM,
                            arguments(name),
                            logs().resolve(name + ".log"));
            running.remove(name);
            running.put(name, process);
            try {
                String word = SERVERS.contains(name) ? " serves" : " runs";
                process.line(line -> line.startsWith(role(name) + word));
                return;
            } catch (BenchFailed e) {
                if (attempt == STARTS) {
                    throw new BenchFailed(name + " does not start, see " + logs(), e);
                }
                Progress.say(name + " ended at its start and is started again, see " + logs());
            }
        }
    }

    private List<String> arguments(String name) {
        String role = role(name);
        List<String> arguments =
                new ArrayList<>(List.of("run", role, "--data-dir", directory.path().toString()));
        if (!SERVERS.contains(name)) {
            arguments.addAll(List.of("-c", "service.id=" + name));
        }
        if (role.equals("gateway")) {
            int number = Integer.parseInt(name.substring(name.length() - 1));
            arguments.addAll(List.of("-c", "gateway.port=" + ports.get(number - 1)));
        }
        return arguments;
    }

    /**
     * Stops one in order, starts it again, and waits until it is ready, or all are that need it.
     *
     * @return how long that took
     */
    Restart restart(String name) throws InterruptedException {
        long begun = System.nanoTime();
        ChildProcess process = running.get(name);
        if (process == null || !process.stop()) {
            throw new BenchFailed(name + " did not end when it was asked to, see " + logs());
        }
        long stopped = System.nanoTime();
        launch(name);
        for (String each : SERVERS.contains(name) ? services() : List.of(name)) {
            awaitReady(each);
        }
        return new Restart(
                TimeUnit.NANOSECONDS.toMillis(stopped - begun),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - stopped));
    }

    private void awaitReady(String name) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
        while (!ServiceProcess.ready(url(name))) {
            if (System.nanoTime() > deadline) {
                throw new BenchFailed(name + " does not get ready, see " + logs());
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    private String url(String name) {
        return directory
                .database()
                .ask(statement -> {
                    try (ResultSet found =
                            statement.executeQuery(
                                    "SELECT url FROM platform.pub_service WHERE id = '%s/%s'"
                                            .formatted(role(name), name))) {
                        if (!found.next()) {
                            throw new BenchFailed(name + " is not in the services' directory");
                        }
                        return found.getString("url");
                    }
                });
    }

    /** Heap in use of all services together, MiB. */
    long heapMebibytes() {
        double bytes = 0;
        for (String each : services()) {
            bytes +=
                    ServiceProcess.heapBytes(
                            url(each),
                            role(each).equals("gateway")
                                    ? token()
                                    : directory.token("service-token"));
        }
        return Math.round(bytes / (1 << 20));
    }

    /** Of the gateways. */
    List<Integer> ports() {
        return List.copyOf(ports);
    }

    String token() {
        return directory.token("token");
    }

    BenchDirectory directory() {
        return directory;
    }

    Path logs() {
        return directory.path().resolve("logs-of-processes");
    }

    JsonArray verify() {
        return directory.verify(KillStack.JVM, 60, logs().resolve("verify.log"));
    }

    /** Stops all of it; the directory stays. */
    @Override
    public void close() {
        List.copyOf(running.values()).reversed().forEach(ChildProcess::close);
    }
}
