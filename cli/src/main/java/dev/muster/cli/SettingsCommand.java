package dev.muster.cli;

import dev.muster.platform.config.Declarations;
import dev.muster.platform.config.SettingsPage;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

@Command(
        name = "settings",
        description = "Print every setting with its variable, default and range, as Markdown.",
        mixinStandardHelpOptions = true)
final class SettingsCommand implements Callable<Integer> {

    private static final String HEAD =
            """
            # Settings

            From `muster.yaml` in the data directory, from variables, and from `-c KEY=VALUE`, the later ones first.
            This page is what `./muster settings` prints; a test holds it.

            """;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.print(page());
        out.flush();
        return ExitCodes.OK;
    }

    static String page() {
        return HEAD + SettingsPage.markdown(Declarations.allSettings());
    }
}
