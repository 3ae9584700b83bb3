package dev.muster.cli;

import dev.muster.platform.config.Settings;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;

@Command(
        name = "up",
        description = "Run all of Muster in one process, on an embedded PostgreSQL and Kafka.",
        mixinStandardHelpOptions = true)
final class UpCommand implements Callable<Integer> {

    @Mixin private ServerOptions options = new ServerOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        long begin = System.nanoTime();
        Settings settings = options.settings();
        DataDirectory directory = options.directory();
        RunningMuster muster = RunningMuster.start(directory, settings);
        UntilStopped stop = UntilStopped.then("muster-stop", muster::close);
        PrintWriter out = spec.commandLine().getOut();
        long millis = Duration.ofNanos(System.nanoTime() - begin).toMillis();
        out.printf("Muster serves at %s (up in %.1f s)%n", muster.url(), millis / 1000.0);
        out.println("  data directory  " + directory.path());
        out.println("  token           " + directory.tokenFile());
        out.println("  object store    obs:// is " + directory.store());
        out.println(
                "  stop            Ctrl-C; jobs that run go on and are taken over at the next"
                        + " start");
        out.flush();
        stop.await();
        return ExitCodes.OK;
    }
}
