package dev.muster.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "doctor",
        description =
                "Look at connections, settings, lags, clocks, disk and limits; exits 1 if something"
                        + " is wrong and says what to do. Works while Muster runs and while it does"
                        + " not.",
        mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {

    @Option(names = "--json", description = "One line of JSON.")
    private boolean json;

    @Mixin private ServerOptions options = new ServerOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        List<Finding> findings;
        try (OpenDirectory open = OpenDirectory.of(options)) {
            findings = new Doctor(open).examine();
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(json(findings));
        } else {
            findings.forEach(each -> out.println(each.line()));
            long wrong = findings.stream().filter(Finding::isWrong).count();
            out.println(wrong == 0 ? "all is well" : wrong + " of " + findings.size() + " wrong");
        }
        out.flush();
        return findings.stream().noneMatch(Finding::isWrong) ? ExitCodes.OK : ExitCodes.FAILED;
    }

    static ObjectNode json(List<Finding> findings) {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        long wrong = findings.stream().filter(Finding::isWrong).count();
        line.put("well", wrong == 0).put("wrong", wrong);
        ArrayNode checks = line.putArray("checks");
        findings.forEach(each -> checks.add(each.json()));
        return line;
    }
}
