package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "preempt",
        description =
                "Take the nodes of a preemptible job after a final sync of its outputs; it queues"
                        + " again in its place.",
        mixinStandardHelpOptions = true)
final class PreemptCommand extends ApiCommand {

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    private String job = "";

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "Why; kept in the job's history.")
    private String reason = "";

    @Mixin private OutputOption output = new OutputOption();

    @Override
    int run(ApiClient api) {
        String body = JsonNodeFactory.instance.objectNode().put("reason", reason).toString();
        JsonNode answer = api.post(Jobs.path(job) + "/preempt", body);
        output.print(out(), answer, () -> "preempting " + job);
        return ExitCodes.OK;
    }
}
