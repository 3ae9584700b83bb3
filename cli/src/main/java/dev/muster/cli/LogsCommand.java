package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.InputStream;

@Command(
        name = "logs",
        description = "Print the log of an instance.",
        mixinStandardHelpOptions = true)
final class LogsCommand extends ApiCommand {

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    private String job = "";

    @Option(
            names = {"-i", "--instance"},
            paramLabel = "N",
            defaultValue = "0",
            description = "Index of the instance (default: ${DEFAULT-VALUE}).")
    private int instance;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on until the job ends, through its restarts.")
    private boolean follow;

    @Option(
            names = "--offset",
            paramLabel = "BYTES",
            defaultValue = "0",
            description = "Leave out the first bytes.")
    private long offset;

    /** Of the attempt that was printed last. */
    private long printed;

    @Override
    int run(ApiClient api) {
        long attempt = 0;
        while (true) {
            JsonNode view = api.get(Jobs.path(job));
            long now = view.path("attempt").asLong();
            if (now != attempt) {
                printed = attempt == 0 ? offset : 0;
                attempt = now;
            }
            boolean last = !follow || Jobs.ended(view);
            if (last) {
                print(api, attempt, false);
            } else if (attempt > 0) {
                printWhatIsThere(api, attempt);
            }
            if (last) {
                return ExitCodes.OK;
            }
            // the instance is between two starts, or was silent for so long that the stream ended
            Awaiting.pause();
        }
    }

    /** An attempt that was just granted has no log yet, and an executor may be starting. */
    private void printWhatIsThere(ApiClient api, long attempt) {
        try {
            print(api, attempt, true);
        } catch (CommandFailure e) {
            if (e.exitCode() != ExitCodes.UNAVAILABLE && !e.notFound()) {
                throw e;
            }
        }
    }

    private void print(ApiClient api, long attempt, boolean following) {
        Query query =
                new Query(Jobs.path(job) + "/instances/" + instance + "/logs")
                        .with("attempt", attempt)
                        .with("offset", printed)
                        .with("follow", following);
        try (InputStream log = api.stream(query.toString())) {
            byte[] buffer = new byte[64 * 1024];
            for (int n = log.read(buffer); n >= 0; n = log.read(buffer)) {
                System.out.write(buffer, 0, n);
                System.out.flush();
                printed += n;
            }
        } catch (IOException e) {
            throw new CommandFailure(ExitCodes.UNAVAILABLE, "the log broke off: " + e.getMessage());
        }
    }
}
