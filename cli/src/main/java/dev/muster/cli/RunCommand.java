package dev.muster.cli;

import static dev.muster.platform.config.PlatformSettings.KAFKA_BOOTSTRAP;
import static dev.muster.platform.config.PlatformSettings.SQL_PASSWORD;

import dev.muster.embedded.EmbeddedKafka;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.EmbeddedServerException;
import dev.muster.executor.ExecutorRole;
import dev.muster.gateway.GatewayService;
import dev.muster.monitor.MonitorService;
import dev.muster.notifier.NotifierService;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.Service;
import dev.muster.platform.run.ServiceFailed;
import dev.muster.platform.run.ServiceRunner;
import dev.muster.scheduler.SchedulerService;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

@Command(
        name = "run",
        description =
                "Run one service as a process of its own. Services of one data directory find its"
                        + " embedded servers; others are named by settings.",
        mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {

    private static final Duration SERVERS_WAIT = Duration.ofSeconds(30);
    private static final long PAUSE_MILLIS = 200;

    /** What can run alone. */
    enum Part {
        POSTGRES,
        KAFKA,
        GATEWAY,
        SCHEDULER,
        EXECUTOR,
        MONITOR,
        NOTIFIER
    }

    @Parameters(paramLabel = "SERVICE", description = "One of ${COMPLETION-CANDIDATES}.")
    private Part part = Part.GATEWAY;

    @Option(
            names = "--announce",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "A gateway's address becomes that of the data directory (default: yes).")
    private boolean announces;

    @Mixin private ServerOptions options = new ServerOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        Settings settings = options.settings();
        DataDirectory directory = options.directory();
        directory.prepare();
        try {
            AutoCloseable running =
                    switch (part) {
                        case POSTGRES -> postgres(directory, settings);
                        case KAFKA -> kafka(directory, settings);
                        case GATEWAY -> gateway(directory, settings);
                        case SCHEDULER -> service(directory, settings, new SchedulerService());
                        case EXECUTOR -> service(directory, settings, new ExecutorRole());
                        case MONITOR -> service(directory, settings, new MonitorService());
                        case NOTIFIER -> service(directory, settings, new NotifierService());
                    };
            UntilStopped.then("muster-stop", () -> close(running)).await();
            return ExitCodes.OK;
        } catch (EmbeddedServerException | ServiceFailed e) {
            throw new CommandFailure(ExitCodes.FAILED, String.valueOf(e.getMessage()));
        }
    }

    private AutoCloseable postgres(DataDirectory directory, Settings settings) {
        EmbeddedPostgres server = EmbeddedStack.postgres(directory.path(), settings);
        say("postgres serves at " + server.connection().uri());
        return server;
    }

    private AutoCloseable kafka(DataDirectory directory, Settings settings) {
        EmbeddedKafka server = EmbeddedStack.kafka(directory.path(), settings);
        say("kafka serves at " + server.connection().bootstrapServers());
        return server;
    }

    private AutoCloseable gateway(DataDirectory directory, Settings settings) {
        GatewayService gateway = new GatewayService();
        AutoCloseable running = service(directory, settings, gateway);
        if (announces) {
            RunningMuster.announce(directory, RunningMuster.url(settings, gateway));
        }
        say("gateway serves at " + RunningMuster.url(settings, gateway));
        return running;
    }

    private AutoCloseable service(DataDirectory directory, Settings settings, Service service) {
        ServiceRunner runner = RunningMuster.prepare(connected(directory, settings));
        try {
            runner.start(service);
        } catch (RuntimeException e) {
            runner.close();
            throw e;
        }
        say(service.role() + " runs");
        return runner;
    }

    /** Leads the service to the data directory's servers, unless others are configured. */
    static Settings connected(DataDirectory directory, Settings settings) {
        Settings led = EmbeddedStack.withTokens(directory, settings);
        if (led.get(SQL_PASSWORD).isEmpty()) {
            led =
                    EmbeddedStack.withPostgres(
                            led,
                            awaited("PostgreSQL", () -> EmbeddedPostgres.read(directory.path())));
        }
        if (led.get(KAFKA_BOOTSTRAP).equals(KAFKA_BOOTSTRAP.defaultValue())) {
            led =
                    EmbeddedStack.withKafka(
                            led, awaited("Kafka", () -> EmbeddedKafka.read(directory.path())));
        }
        return led;
    }

    private static <T> T awaited(String server, Supplier<Optional<T>> connection) {
        long deadline = System.nanoTime() + SERVERS_WAIT.toNanos();
        while (true) {
            Optional<T> found = connection.get();
            if (found.isPresent()) {
                return found.get();
            }
            if (System.nanoTime() > deadline) {
                throw new CommandFailure(
                        ExitCodes.UNAVAILABLE,
                        "no "
                                + server
                                + " was started in this data directory: use `muster run"
                                + " postgres` and `muster run kafka`, or configure one");
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CommandFailure(ExitCodes.FAILED, "interrupted");
            }
        }
    }

    private void say(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }

    private static void close(AutoCloseable running) {
        try {
            running.close();
        } catch (Exception e) {
            System.err.println("muster: the service did not stop well: " + e.getMessage());
        }
    }
}
