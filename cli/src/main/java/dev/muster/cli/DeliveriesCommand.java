package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.Optional;

@Command(
        name = "deliveries",
        description = "Webhooks: what was sent, what waits, what was given up.",
        mixinStandardHelpOptions = true,
        subcommands = {
            DeliveriesCommand.ListAll.class,
            DeliveriesCommand.Show.class,
            DeliveriesCommand.Retry.class
        })
final class DeliveriesCommand {

    private static final String PATH = "/api/v1/deliveries";

    private static String path(String id) {
        return PATH + "/" + Query.encode(id);
    }

    @Command(
            name = "list",
            description = "List deliveries, the latest first.",
            mixinStandardHelpOptions = true)
    static final class ListAll extends ApiCommand {

        /** States of a delivery. */
        enum State {
            PENDING,
            DELIVERED,
            DEAD
        }

        @Option(names = "--project", paramLabel = "NAME", description = "Of this project alone.")
        private Optional<String> project = Optional.empty();

        @Option(names = "--job", paramLabel = "JOB", description = "Of this job alone.")
        private Optional<String> job = Optional.empty();

        @Option(
                names = "--subscription",
                paramLabel = "ID",
                description = "Of this subscription alone.")
        private Optional<String> subscription = Optional.empty();

        @Option(names = "--state", paramLabel = "STATE", description = "${COMPLETION-CANDIDATES}")
        private Optional<State> state = Optional.empty();

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
                                    .with("subscription", subscription)
                                    .with("state", state)
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
            Table table = new Table("DELIVERY", "EVENT", "STATE", "ATTEMPTS", "STATUS", "ERROR");
            for (JsonNode each : items) {
                table.row(
                        each.path("id").asText(),
                        each.path("event").asText(),
                        each.path("state").asText(),
                        each.path("attempts").asText(),
                        each.path("status").asText("-"),
                        each.path("error").asText(""));
            }
            return table;
        }
    }

    @Command(
            name = "show",
            description = "Show a delivery with its body.",
            mixinStandardHelpOptions = true)
    static final class Show extends ApiCommand {

        @Parameters(paramLabel = "DELIVERY", description = "Its id.")
        private String id = "";

        @Mixin private OutputOption output = new OutputOption();

        @Override
        int run(ApiClient api) {
            JsonNode delivery = api.get(path(id));
            output.print(out(), delivery, () -> Documents.yaml(delivery));
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "retry",
            description = "Try dead deliveries again, under their old ids.",
            mixinStandardHelpOptions = true)
    static final class Retry extends ApiCommand {

        @Parameters(paramLabel = "DELIVERY", arity = "1..*", description = "Their ids.")
        private List<String> ids = List.of();

        @Override
        int run(ApiClient api) {
            int exitCode = ExitCodes.OK;
            for (String each : ids) {
                try {
                    api.post(path(each) + "/retry", "");
                    out().println(each + " waits again");
                    out().flush();
                } catch (CommandFailure refused) {
                    if (refused.exitCode() != ExitCodes.FAILED) {
                        throw refused; // the next would meet the same
                    }
                    err().println(each + ": " + refused.getMessage());
                    err().flush();
                    exitCode = ExitCodes.FAILED;
                }
            }
            return exitCode;
        }
    }
}
