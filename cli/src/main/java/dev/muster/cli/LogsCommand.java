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

    /** Pauses until a Muster that does not answer is given up: a minute or so. */
    private static final int MAX_FRUITLESS = 600;

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

    @Option(
            names = "--attempt",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Of this attempt (default: the latest; when following, each as it begins).")
    private long wantedAttempt;

    /** Of the attempt that was printed last. */
    private long printed;

    private long attempt;
    private int fruitless;

    @Override
    int run(ApiClient api) {
        if (!follow || wantedAttempt > 0) {
            printed = offset;
            print(api, wantedAttempt, follow);
            return ExitCodes.OK;
        }
        while (!followed(api)) {
            // the instance is between two starts, or was silent for so long that the stream ended
            Awaiting.pause();
        }
        return ExitCodes.OK;
    }

    /**
     * Prints what is there, and what comes as long as the stream lasts. A Muster that is being
     * started again is waited for, and so is the log of an attempt that was just granted.
     *
     * @return whether the job has ended and all was printed
     */
    private boolean followed(ApiClient api) {
        try {
            JsonNode view = api.get(Jobs.path(job));
            long now = view.path("attempt").asLong();
            if (now != attempt) {
                printed = attempt == 0 ? offset : 0;
                attempt = now;
            }
            boolean last = Jobs.ended(view);
            if (attempt > 0) {
                long before = printed;
                print(api, attempt, !last);
                fruitless = printed > before ? 0 : fruitless;
            }
            return last;
        } catch (CommandFailure e) {
            boolean known = attempt > 0;
            boolean passing = e.exitCode() == ExitCodes.UNAVAILABLE || e.notFound();
            if (!known || !passing || ++fruitless > MAX_FRUITLESS) {
                throw e;
            }
            return false;
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
