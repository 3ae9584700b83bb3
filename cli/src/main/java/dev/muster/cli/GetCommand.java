package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "get", description = "Show one job.", mixinStandardHelpOptions = true)
final class GetCommand extends ApiCommand {

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    private String job = "";

    @Mixin private OutputOption output = new OutputOption();

    @Override
    int run(ApiClient api) {
        JsonNode view = api.get(Jobs.path(job));
        output.print(out(), view, () -> Jobs.row(view));
        return ExitCodes.OK;
    }
}
