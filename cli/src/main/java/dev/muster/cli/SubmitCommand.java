package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Optional;

@Command(
        name = "submit",
        description = "Submit a job; prints its id.",
        mixinStandardHelpOptions = true)
final class SubmitCommand extends ApiCommand {

    @Option(
            names = {"-f", "--file"},
            required = true,
            paramLabel = "FILE",
            description = "The job's specification in YAML or JSON; - for standard input.")
    private Path file = Path.of("-");

    @Option(
            names = "--wait",
            description =
                    "Wait for the job's end and exit as it did: 0, its command's exit code, or 130"
                            + " if it was stopped. Its events go to standard error.")
    private boolean waits;

    @Mixin private OutputOption output = new OutputOption();

    @Override
    int run(ApiClient api) {
        JsonNode accepted = api.post(Jobs.PATH, Documents.readFile(file).toString());
        String job = accepted.path("id").asText();
        if (!waits) {
            output.print(out(), accepted, () -> job);
            return ExitCodes.OK;
        }
        err().println("job " + job);
        new JobEvents(api, Optional.of(job), Optional.of("0"))
                .follow(event -> {
                    err().println(EventLine.of(event));
                    return !WatchCommand.endsJob(event);
                });
        JsonNode ended = Awaiting.end(api, job);
        output.print(out(), ended, () -> Jobs.row(ended));
        return Jobs.exitCode(api, ended);
    }
}
