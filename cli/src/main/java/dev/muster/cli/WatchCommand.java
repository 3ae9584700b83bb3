package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.Optional;

@Command(
        name = "watch",
        description =
                "Show events as they happen: of one job from its beginning until its end, or of"
                        + " all.",
        mixinStandardHelpOptions = true)
final class WatchCommand extends ApiCommand {

    @Parameters(arity = "0..1", paramLabel = "JOB", description = "Only this job.")
    private Optional<String> job = Optional.empty();

    @Option(
            names = "--after",
            paramLabel = "CURSOR",
            description = "Go on behind this position; 0 is the beginning (default: now).")
    private Optional<String> after = Optional.empty();

    @Mixin private OutputOption output = new OutputOption();

    @Override
    int run(ApiClient api) {
        job.ifPresent(id -> api.get(Jobs.path(id)));
        Optional<String> from = after.or(() -> job.map(id -> "0"));
        new JobEvents(api, job, from)
                .follow(event -> {
                    show(event);
                    return job.isEmpty() || !endsJob(event);
                });
        return ExitCodes.OK;
    }

    /** One line an event, also as JSON. */
    private void show(JsonNode event) {
        if (output.form() == OutputOption.Form.JSON) {
            out().println(event);
        } else {
            out().println(
                            output.form() == OutputOption.Form.YAML
                                    ? "---\n" + Documents.yaml(event)
                                    : EventLine.of(event));
        }
        out().flush();
    }

    static boolean endsJob(JsonNode event) {
        return switch (EventLine.type(event)) {
            case "JobSucceeded", "JobFailed", "JobStopped" -> true;
            default -> false;
        };
    }
}
