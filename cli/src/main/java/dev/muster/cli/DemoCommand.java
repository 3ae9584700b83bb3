package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;

@Command(
        name = "demo",
        description =
                "Start everything (or use the Muster that runs in the data directory), train the"
                        + " sample job on two instances and show its life.",
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
        RunningMuster muster = RunningMuster.start(directory, options.settings());
        UntilStopped.then("muster-stop", muster::close);
        try (ApiClient api = new ApiClient(muster.url(), token(directory))) {
            say("Muster serves at " + muster.url());
            return train(directory, api);
        } finally {
            muster.close();
        }
    }

    private int train(DataDirectory directory, ApiClient api) {
        SampleJob sample = SampleJob.layOut(directory.store());
        JsonNode accepted = api.post(Jobs.PATH, sample.spec().toString());
        String job = accepted.path("id").asText();
        DemoStory story = new DemoStory(api, job, this::say);
        story.tell();
        JsonNode ended = Awaiting.end(api, job);
        DemoResult result = new DemoResult(story, ended, sample);
        say("");
        result.lines().forEach(this::say);
        if (json) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(result.json());
            out.flush();
        }
        return Jobs.exitCode(api, ended);
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
