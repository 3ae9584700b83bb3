package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.Optional;

@Command(name = "list", description = "List jobs, newest first.", mixinStandardHelpOptions = true)
final class ListCommand extends ApiCommand {

    @Option(names = "--state", paramLabel = "STATE", description = "Only jobs in this state.")
    private Optional<String> state = Optional.empty();

    @Option(names = "--project", paramLabel = "PROJECT", description = "Only this project's.")
    private Optional<String> project = Optional.empty();

    @Option(names = "--pool", paramLabel = "POOL", description = "Only this pool's.")
    private Optional<String> pool = Optional.empty();

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "50",
            description = "At most this many (default: ${DEFAULT-VALUE}).")
    private int limit;

    @Option(names = "--after", paramLabel = "CURSOR", description = "Go on at this cursor.")
    private Optional<String> after = Optional.empty();

    @Mixin private OutputOption output = new OutputOption();

    @Override
    int run(ApiClient api) {
        Query query =
                new Query(Jobs.PATH)
                        .with("state", state)
                        .with("project", project)
                        .with("pool", pool)
                        .with("limit", limit)
                        .with("after", after);
        JsonNode page = api.get(query.toString());
        output.print(out(), page, () -> Jobs.table(page.path("items")).toString());
        if (page.hasNonNull("next") && output.form() == OutputOption.Form.TABLE) {
            err().println("more: --after " + page.path("next").asText());
        }
        return ExitCodes.OK;
    }
}
