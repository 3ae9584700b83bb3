package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.muster.notifier.NotifierSettings;
import dev.muster.platform.config.Settings;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

@Command(
        name = "demo",
        description =
                "Start everything (or use the Muster that runs in the data directory), train the"
                        + " sample job on two instances, which hangs once on purpose, and show its"
                        + " life. Exits 0 only if the hang was found, the job restarted in place"
                        + " and resumed, and all of it told to a receiver of webhooks.",
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {

    @Option(names = "--json", description = "End with one line of JSON on standard output.")
    private boolean json;

    @Mixin private ServerOptions options = new ServerOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        SampleJob.requirePython();
        DataDirectory directory = options.directory();
        try (ApiClient running = running(directory).orElse(null)) {
            if (running != null) {
                say("using the Muster that serves at " + running.base());
                return train(directory, running);
            }
        }
        say("starting PostgreSQL, Kafka and all services in " + directory.path());
        RunningMuster muster = RunningMuster.start(directory, settings());
        UntilStopped.then("muster-stop", muster::close);
        try (ApiClient api = new ApiClient(muster.url(), token(directory))) {
            say("Muster serves at " + muster.url());
            return train(directory, api);
        } finally {
            muster.close();
        }
    }

    /** The demo's receiver lies on loopback, which webhooks may not reach unless allowed. */
    private Settings settings() {
        Settings given = options.settings();
        return given.get(NotifierSettings.ALLOWED_NETWORKS).isEmpty()
                ? given.with(NotifierSettings.ALLOWED_NETWORKS, List.of("127.0.0.0/8"))
                : given;
    }

    private int train(DataDirectory directory, ApiClient api) {
        SampleJob sample = SampleJob.layOut(directory.store(), true);
        Path file = directory.deliveries().resolve(sample.outputs().getFileName() + ".jsonl");
        try (DemoReceiver receiver = new DemoReceiver(file)) {
            String subscription = subscribe(api, receiver);
            try {
                return train(directory, api, sample, receiver);
            } finally {
                api.delete("/api/v1/subscriptions/" + subscription);
            }
        }
    }

    private static String subscribe(ApiClient api, DemoReceiver receiver) {
        ObjectNode wanted = JsonNodeFactory.instance.objectNode().put("url", receiver.url());
        DemoProof.told().forEach(wanted.putArray("events")::add);
        JsonNode made = api.post("/api/v1/subscriptions", wanted.toString());
        receiver.expect(made.path("secret").asText());
        return made.path("id").asText();
    }

    private int train(
            DataDirectory directory, ApiClient api, SampleJob sample, DemoReceiver receiver) {
        String job = api.post(Jobs.PATH, sample.spec().toString()).path("id").asText();
        String pool = api.get(Jobs.path(job)).path("pool").asText();
        receiver.follow(pool, job, sample.spec().path("instances").asInt());
        DemoStory story = new DemoStory(api, job, this::say);
        story.tell();
        JsonNode ended = Awaiting.end(api, job);
        DemoProof proof = new DemoProof(story, receiver, directory.store());
        proof.awaitDeliveries();
        receiver.complete();
        DemoResult result = new DemoResult(story, ended, sample, proof);
        say("");
        result.lines().forEach(this::say);
        if (json) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(result.json());
            out.flush();
        }
        proof.problems().forEach(problem -> say("! " + problem));
        int code = Jobs.exitCode(api, ended);
        return code == ExitCodes.OK && !proof.problems().isEmpty() ? ExitCodes.FAILED : code;
    }

    private Optional<ApiClient> running(DataDirectory directory) {
        return DataDirectory.line(directory.urlFile())
                .map(url -> new ApiClient(java.net.URI.create(url), token(directory)))
                .filter(ApiClient::ready);
    }

    private static String token(DataDirectory directory) {
        return DataDirectory.line(directory.tokenFile())
                .orElseThrow(() ->
                        new CommandFailure(
                                ExitCodes.FAILED,
                                "the token file " + directory.tokenFile() + " cannot be read"));
    }

    /** With {@code --json} standard output is for the one line, so the story goes to the other. */
    private void say(String line) {
        PrintWriter to = json ? spec.commandLine().getErr() : spec.commandLine().getOut();
        to.println(line);
        to.flush();
    }
}
