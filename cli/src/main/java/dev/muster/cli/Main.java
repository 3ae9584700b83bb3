package dev.muster.cli;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

import java.io.PrintWriter;

/** The {@code muster} command. */
@Command(
        name = "muster",
        description = "An event-driven scheduler for AI training jobs.",
        mixinStandardHelpOptions = true,
        version = Main.VERSION,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            SubmitCommand.class,
            GetCommand.class,
            ListCommand.class,
            DescribeCommand.class,
            LogsCommand.class,
            WatchCommand.class,
            CancelCommand.class,
            PreemptCommand.class,
            IncidentsCommand.class,
            NodesCommand.class,
            SubscriptionsCommand.class,
            DeliveriesCommand.class,
            VerifyCommand.class,
            DoctorCommand.class,
            AdminCommand.class,
            BackupCommand.class,
            RestoreCommand.class,
            SupportBundleCommand.class,
            SettingsCommand.class,
            UpCommand.class,
            DemoCommand.class,
            RunCommand.class,
            AutoComplete.GenerateCompletion.class,
            CommandLine.HelpCommand.class
        })
public final class Main implements Runnable {

    static final String VERSION = "muster 0.1.0";

    @CommandLine.Spec private CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

    Main() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(Main::report);
    }

    /** One sentence, no stack trace: what went wrong was said by who knows. */
    private static int report(
            Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
        PrintWriter err = command.getErr();
        if (failure instanceof CommandFailure known) {
            err.println("muster: " + known.getMessage());
            return known.exitCode();
        }
        err.println("muster: " + failure.getClass().getSimpleName() + ": " + failure.getMessage());
        return ExitCodes.FAILED;
    }

    @Override
    public void run() {
        throw new ParameterException(
                java.util.Objects.requireNonNull(spec).commandLine(), "a command is needed");
    }
}
