package dev.muster.cli;

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
            description = "Go on until the instance ends.")
    private boolean follow;

    @Option(
            names = "--offset",
            paramLabel = "BYTES",
            defaultValue = "0",
            description = "Leave out the first bytes.")
    private long offset;

    @Override
    int run(ApiClient api) {
        Query query =
                new Query(Jobs.path(job) + "/instances/" + instance + "/logs")
                        .with("offset", offset)
                        .with("follow", follow);
        try (InputStream log = api.stream(query.toString())) {
            byte[] buffer = new byte[64 * 1024];
            for (int n = log.read(buffer); n >= 0; n = log.read(buffer)) {
                System.out.write(buffer, 0, n);
                System.out.flush();
            }
            return ExitCodes.OK;
        } catch (IOException e) {
            throw new CommandFailure(ExitCodes.UNAVAILABLE, "the log broke off: " + e.getMessage());
        }
    }
}
