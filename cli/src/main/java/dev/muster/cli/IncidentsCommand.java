package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.Optional;

@Command(
        name = "incidents",
        description = "Show what went wrong with a job and which restarts followed.",
        mixinStandardHelpOptions = true)
final class IncidentsCommand extends ApiCommand {

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    private String job = "";

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
        Query query = new Query(Incident.path(job)).with("limit", limit).with("after", after);
        JsonNode page = api.get(query.toString());
        JsonNode items = page.path("items");
        output.print(
                out(),
                page,
                () -> (Incident.table(items) + "\n" + Incident.evidence(items)).stripTrailing());
        if (page.hasNonNull("next") && output.form() == OutputOption.Form.TABLE) {
            err().println("more: --after " + page.path("next").asText());
        }
        return ExitCodes.OK;
    }
}
