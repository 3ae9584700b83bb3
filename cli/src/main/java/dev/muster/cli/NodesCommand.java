package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "nodes",
        description = "List the nodes and what is free on them.",
        mixinStandardHelpOptions = true)
final class NodesCommand extends ApiCommand {

    @Mixin private OutputOption output = new OutputOption();

    @Override
    int run(ApiClient api) {
        JsonNode page = api.get("/api/v1/nodes");
        output.print(out(), page, () -> table(page.path("items")).toString());
        return ExitCodes.OK;
    }

    private static Table table(JsonNode nodes) {
        Table table =
                new Table("NODE", "POOL", "READY", "CORDONED", "ACCELERATOR", "DEVICES", "USED");
        nodes.forEach(n ->
                table.row(
                        n.path("id").asText(),
                        n.path("pool").asText(),
                        n.path("ready").asText(),
                        n.path("cordoned").asText(),
                        n.path("accelerator").asText(),
                        n.path("devices").asText(),
                        n.path("usedDevices").asText()));
        return table;
    }
}
