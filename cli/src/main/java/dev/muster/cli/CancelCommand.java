package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "cancel",
        description =
                "Stop a job: at once while it waits, after a final sync of its outputs when it"
                        + " runs.",
        mixinStandardHelpOptions = true)
final class CancelCommand extends ApiCommand {

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    private String job = "";

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "Why; kept in the job's history.")
    private String reason = "";

    @Option(names = "--wait", description = "Wait until the job has ended.")
    private boolean waits;

    @Mixin private OutputOption output = new OutputOption();

    @Override
    int run(ApiClient api) {
        String body = JsonNodeFactory.instance.objectNode().put("reason", reason).toString();
        JsonNode answer = api.post(Jobs.path(job) + "/stop", body);
        if (!waits) {
            output.print(out(), answer, () -> "stopping " + job);
            return ExitCodes.OK;
        }
        new JobEvents(api, java.util.Optional.of(job), java.util.Optional.of("0"))
                .follow(event -> !WatchCommand.endsJob(event));
        JsonNode ended = Awaiting.end(api, job);
        output.print(out(), ended, () -> Jobs.row(ended));
        return ExitCodes.OK;
    }
}
