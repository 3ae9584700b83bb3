package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "describe",
        description =
                "Show all there is to know of a job: specification, instances,"
                        + " incidents, history.",
        mixinStandardHelpOptions = true)
final class DescribeCommand extends ApiCommand {

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    private String job = "";

    @Mixin private OutputOption output = new OutputOption();

    @Override
    int run(ApiClient api) {
        String path = Jobs.path(job);
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        all.set("job", api.get(path));
        all.set("spec", api.get(path + "/spec"));
        all.set("instances", api.get(path + "/instances").path("items"));
        all.putArray("incidents").addAll(Incident.all(api, job));
        all.set("events", api.get(path + "/events").path("items"));
        output.print(out(), all, () -> text(all));
        return ExitCodes.OK;
    }

    private static String text(JsonNode all) {
        StringBuilder out = new StringBuilder(Jobs.row(all.path("job")));
        out.append("\n\nSPECIFICATION\n").append(Documents.yaml(all.path("spec")).indent(2));
        Table instances = new Table("INSTANCE", "NODE", "DEVICES", "STATE", "EXIT");
        all.path("instances")
                .forEach(i ->
                        instances.row(
                                i.path("index").asText(),
                                i.path("node").asText(),
                                i.path("devices").toString(),
                                i.path("state").asText(),
                                i.path("exitCode").asText("")));
        out.append('\n').append(instances).append("\n\n");
        if (!all.path("incidents").isEmpty()) {
            out.append(Incident.table(all.path("incidents"))).append('\n');
            out.append(Incident.evidence(all.path("incidents"))).append('\n');
        }
        out.append("EVENTS\n");
        all.path("events").forEach(event -> out.append(EventLine.of(event)).append('\n'));
        return out.toString().stripTrailing();
    }
}
