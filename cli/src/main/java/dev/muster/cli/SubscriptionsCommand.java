package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

@Command(
        name = "subscriptions",
        description = "Webhooks: who is told of which events.",
        mixinStandardHelpOptions = true,
        subcommands = {
            SubscriptionsCommand.Add.class,
            SubscriptionsCommand.ListAll.class,
            SubscriptionsCommand.Rotate.class,
            SubscriptionsCommand.Remove.class,
            SubscriptionsCommand.Test.class
        })
final class SubscriptionsCommand {

    private static final String PATH = "/api/v1/subscriptions";

    private static String path(String id) {
        return PATH + "/" + Query.encode(id);
    }

    @Command(
            name = "add",
            description = "Subscribe a URL to the events of a project's jobs, or of one job.",
            mixinStandardHelpOptions = true)
    static final class Add extends ApiCommand {

        @Parameters(paramLabel = "URL", description = "Where events are posted to.")
        private String url = "";

        @Option(
                names = "--project",
                paramLabel = "NAME",
                description = "All jobs of this project (default: default).")
        private Optional<String> project = Optional.empty();

        @Option(names = "--job", paramLabel = "JOB", description = "This job alone.")
        private Optional<String> job = Optional.empty();

        @Option(
                names = "--events",
                paramLabel = "TYPE",
                split = ",",
                description = "Types such as JobFailed, or \"*\" (default: what most want).")
        private List<String> events = new ArrayList<>();

        @Mixin private OutputOption output = new OutputOption();

        @Override
        int run(ApiClient api) {
            if (job.isPresent() && project.isPresent()) {
                throw new CommandFailure(
                        ExitCodes.USAGE, "--job and --project cannot be given together");
            }
            ObjectNode body = JsonNodeFactory.instance.objectNode().put("url", url);
            project.ifPresent(name -> body.put("project", name));
            if (!events.isEmpty()) {
                ArrayNode types = body.putArray("events");
                events.forEach(types::add);
            }
            String path =
                    job.map(id -> "/api/v1/jobs/" + Query.encode(id) + "/subscriptions")
                            .orElse(PATH);
            JsonNode made = api.post(path, body.toString());
            output.print(
                    out(),
                    made,
                    () ->
                            "subscription  %s%nsecret        %s%nThe secret is shown this once."
                                    .formatted(
                                            made.path("id").asText(),
                                            made.path("secret").asText()));
            return ExitCodes.OK;
        }
    }

    @Command(name = "list", description = "List subscriptions.", mixinStandardHelpOptions = true)
    static final class ListAll extends ApiCommand {

        @Option(names = "--project", paramLabel = "NAME", description = "Of this project alone.")
        private Optional<String> project = Optional.empty();

        @Option(names = "--job", paramLabel = "JOB", description = "Of this job alone.")
        private Optional<String> job = Optional.empty();

        @Option(names = "--limit", paramLabel = "N", description = "At most so many.")
        private Optional<Integer> limit = Optional.empty();

        @Option(names = "--after", paramLabel = "NEXT", description = "From where a page ended.")
        private Optional<String> after = Optional.empty();

        @Mixin private OutputOption output = new OutputOption();

        @Override
        int run(ApiClient api) {
            JsonNode page =
                    api.get(
                            new Query(PATH)
                                    .with("project", project)
                                    .with("job", job)
                                    .with("limit", limit)
                                    .with("after", after)
                                    .toString());
            output.print(out(), page, () -> table(page.path("items")).toString());
            if (page.hasNonNull("next") && output.form() == OutputOption.Form.TABLE) {
                err().println("more: --after " + page.path("next").asText());
            }
            return ExitCodes.OK;
        }

        private static Table table(JsonNode items) {
            Table table = new Table("SUBSCRIPTION", "PROJECT", "JOB", "EVENTS", "URL");
            for (JsonNode each : items) {
                List<String> types = new ArrayList<>();
                each.path("events").forEach(type -> types.add(type.asText()));
                table.row(
                        each.path("id").asText(),
                        each.path("project").asText(),
                        each.path("job").asText("-"),
                        String.join(",", types),
                        each.path("url").asText());
            }
            return table;
        }
    }

    @Command(
            name = "rotate",
            description = "Make a new secret; the old one signs too for a while.",
            mixinStandardHelpOptions = true)
    static final class Rotate extends ApiCommand {

        @Parameters(paramLabel = "SUBSCRIPTION", description = "Its id.")
        private String id = "";

        @Option(
                names = "--grace-seconds",
                paramLabel = "N",
                description = "How long the old secret still signs (default: a day).")
        private Optional<Integer> graceSeconds = Optional.empty();

        @Mixin private OutputOption output = new OutputOption();

        @Override
        int run(ApiClient api) {
            ObjectNode body = JsonNodeFactory.instance.objectNode();
            graceSeconds.ifPresent(seconds -> body.put("graceSeconds", seconds));
            JsonNode made = api.post(path(id) + "/rotate", body.toString());
            output.print(
                    out(),
                    made,
                    () ->
                            "secret        %s%nThe old one signs too until %s."
                                    .formatted(
                                            made.path("secret").asText(),
                                            made.path("oldSecretUntil").asText()));
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "remove",
            description = "End a subscription; what it has not got yet is dropped.",
            mixinStandardHelpOptions = true)
    static final class Remove extends ApiCommand {

        @Parameters(paramLabel = "SUBSCRIPTION", description = "Its id.")
        private String id = "";

        @Override
        int run(ApiClient api) {
            api.delete(path(id));
            out().println(id + " is removed");
            out().flush();
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "test",
            description = "Post a Ping to the subscription's URL now; fails unless it arrives.",
            mixinStandardHelpOptions = true)
    static final class Test extends ApiCommand {

        @Parameters(paramLabel = "SUBSCRIPTION", description = "Its id.")
        private String id = "";

        @Mixin private OutputOption output = new OutputOption();

        @Override
        int run(ApiClient api) {
            JsonNode answer = api.post(path(id) + "/test", "");
            boolean arrived = answer.path("arrived").asBoolean();
            output.print(
                    out(),
                    answer,
                    () ->
                            arrived
                                    ? "arrived in %d ms, status %d"
                                            .formatted(
                                                    answer.path("millis").asLong(),
                                                    answer.path("status").asInt())
                                    : "did not arrive: " + answer.path("error").asText());
            return arrived ? ExitCodes.OK : ExitCodes.FAILED;
        }
    }
}
