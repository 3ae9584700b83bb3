package dev.muster.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./muster bench NAME}: progress on stderr, one line of JSON at the end of stdout. */
@Command(
        name = "muster",
        mixinStandardHelpOptions = true,
        subcommands = {Main.Bench.class})
public final class Main {

    /** The group of benchmarks. */
    @Command(
            name = "bench",
            description = "Measure; ends with one line of JSON on standard output.",
            mixinStandardHelpOptions = true,
            subcommands = {
                AcceptBench.class,
                PipelineBench.class,
                RestartBench.class,
                RecoveryBench.class,
                NotifyBench.class,
                FaultsBench.class,
                KillBench.class,
                ListBench.class,
                NotifyReceivers.class,
                LoadGenerator.class,
                BareHandler.class
            })
    static final class Bench {}

    Main() {}

    public static void main(String[] arguments) {
        System.exit(
                new CommandLine(new Main())
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .setExecutionExceptionHandler(Main::report)
                        .execute(arguments));
    }

    private static int report(
            Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
        command.getErr().println("muster: " + failure.getMessage());
        failure.printStackTrace(command.getErr());
        return 1;
    }
}
