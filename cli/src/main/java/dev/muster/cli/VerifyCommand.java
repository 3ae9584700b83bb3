package dev.muster.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "verify",
        description =
                "Check every promise against the journal, the views and the processes of this"
                        + " machine; exits 1 and names what does not hold. Works while Muster runs"
                        + " and while it does not.",
        mixinStandardHelpOptions = true)
final class VerifyCommand implements Callable<Integer> {

    @Option(
            names = "--settle",
            paramLabel = "SECONDS",
            defaultValue = "20",
            description =
                    "How long what is under way may take to settle (default: ${DEFAULT-VALUE}).")
    private int settleSeconds;

    @Option(names = "--json", description = "One line of JSON.")
    private boolean json;

    @Mixin private ServerOptions options = new ServerOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        try (OpenDirectory open = OpenDirectory.of(options)) {
            VerifyReport report = new Verification(open).run(settleSeconds);
            PrintWriter out = spec.commandLine().getOut();
            List<String> lines = json ? List.of(report.json()) : report.lines();
            lines.forEach(out::println);
            out.flush();
            return report.sound() ? ExitCodes.OK : ExitCodes.FAILED;
        }
    }
}
