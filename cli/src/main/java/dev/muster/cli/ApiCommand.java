package dev.muster.cli;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** A command that asks the gateway. */
abstract class ApiCommand implements Callable<Integer> {

    @Mixin private ClientOptions client = new ClientOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public final Integer call() {
        try (ApiClient api = client.connect()) {
            return run(api);
        }
    }

    /** Returns the exit code. */
    abstract int run(ApiClient api);

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
